import { rmSync } from "node:fs";

import type { Clock } from "../../base/clock.ts";
import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import type { EnvironmentError, ProcessEnding } from "../../contracts/environment/environment.ts";
import { processIdPattern, type ProcessRecord, type ProcessRecords } from "./process-record.ts";
import { type FinishedProcess, expiredProcesses } from "./retention.ts";
import { adoptSupervised, startSupervised, type SupervisedDeps, type SupervisedProcess } from "./supervised-process.ts";
import type { SupervisedStart } from "./supervisor.ts";

/** All processes of the home, in the supervisor. */
export interface ProcessRegistry {
  /** Number of running and starting processes. */
  readonly running: number;
  start(id: string, start: SupervisedStart): Promise<Result<void, EnvironmentError>>;
  /** A running process by its id. Undefined: it has ended or never existed. */
  find(id: string): SupervisedProcess | undefined;
  /** How a process ended. Undefined: it is running. */
  ending(id: string): ProcessEnding | undefined;
  remove(id: string): Promise<void>;
  endAll(): Promise<void>;
  /** Removes finished processes past their retention. */
  tidy(): void;
}

export interface ProcessRegistryDeps extends SupervisedDeps {
  readonly clock: Clock;
  readonly onIdle: () => void;
}

/** Adopts the processes of an earlier supervisor. */
export function createProcessRegistry(deps: ProcessRegistryDeps): ProcessRegistry {
  const { store, clock } = deps;
  const running = new Map<string, SupervisedProcess>();
  const starting = new Set<string>();
  const finished = new Map<string, FinishedProcess>();
  /** Endings that could not be saved because the disk was full. */
  const unwritten = new Map<string, ProcessEnding>();
  let tidying: Disposable | undefined;

  function tidy(): void {
    for (const [id, ending] of unwritten) keepEnding(id, ending);
    for (const id of expiredProcesses([...finished.values()], clock.now())) forget(id);
  }

  function forget(id: string): void {
    finished.delete(id);
    unwritten.delete(id);
    store.remove(id);
  }

  function keepEnding(id: string, ending: ProcessEnding): void {
    try {
      if (!store.ending(id)) store.end(id, ending);
      unwritten.delete(id);
    } catch {
      unwritten.set(id, ending);
    }
    finished.set(id, { id, endedAt: ending.endedAt, bytes: store.bytesOf(id) });
  }

  function noteEnd(id: string, ending: ProcessEnding): void {
    keepEnding(id, ending);
    running.delete(id);
    // Removes expired records after a pause, so that processes that end at the same time share one pass.
    tidying ??= clock.after(tidySoonMs, () => {
      tidying = undefined;
      tidy();
    });
    if (running.size === 0) deps.onIdle();
  }

  function watch(process: SupervisedProcess): void {
    running.set(process.id, process);
    void process.ended.then((ending) => noteEnd(process.id, ending));
  }

  function takeUp(id: string): void {
    const record = store.read(id);
    // The supervisor was killed while it created this record.
    if (!record) return forget(id);
    const ending = store.ending(id);
    const adopted = ending ? undefined : adoptSupervised(record, deps);
    if (adopted) watch(adopted);
    else keepEnding(id, ending ?? lose(record, store, clock));
  }

  for (const id of store.ids()) {
    // Ignores an error such as a full disk and continues with the other records; the next supervisor retries.
    valueOr(() => takeUp(id), undefined);
  }
  tidy();

  return {
    get running() {
      return running.size + starting.size;
    },
    find: (id) => running.get(id),
    ending(id) {
      if (running.has(id) || starting.has(id)) return undefined;
      return unwritten.get(id) ?? store.ending(id) ?? { how: "lost", endedAt: clock.now() };
    },
    async start(id, start) {
      if (!processIdPattern.test(id)) return err({ kind: "refused", message: "the id is not a process id" });
      const { command, cwd, place, backend, owner, marker, files = [], isConfined = false } = start;
      const kind = { isTerminal: start.pty !== undefined, isConfined };
      const startedAt = clock.now();
      const record: ProcessRecord = { id, command, cwd, place, backend, owner, marker, files, ...kind, startedAt };
      try {
        store.create(record);
      } catch (thrown) {
        // The pid may belong to another process now.
        if (codeOf(thrown) !== "EEXIST") store.remove(id);
        return err({ kind: "unreachable", message: describeFault(thrown, store.folderOf(id)).message });
      }
      starting.add(id);
      try {
        const started = await startSupervised(record, start, deps);
        if (started.ok) watch(started.value);
        else store.remove(id);
        return started.ok ? ok(undefined) : started;
      } finally {
        starting.delete(id);
      }
    },
    async remove(id) {
      await running.get(id)?.kill();
      forget(id);
    },
    async endAll() {
      await Promise.all([...running.values()].map((one) => one.kill()));
    },
    tidy,
  };
}

const tidySoonMs = 100;

/** The ending of a process that exited while no supervisor was running. */
function lose(record: ProcessRecord, store: ProcessRecords, clock: Clock): ProcessEnding {
  for (const path of [...record.files, `${store.folderOf(record.id)}/out`, `${store.folderOf(record.id)}/in`])
    rmSync(path, { force: true });
  return { how: "lost", endedAt: clock.now() };
}

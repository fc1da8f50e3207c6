import { rmSync } from "node:fs";

import { abortable } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { EnvironmentError, ProcessHandle } from "../../contracts/environment/environment.ts";
import { createMachineProcesses } from "../local/machine-processes.ts";
import { type Connection, LostConnection } from "./connection.ts";
import { type LaunchDeps, reachSupervisor } from "./launch-supervisor.ts";
import { ownFolder, processFolder } from "./process-folder.ts";
import { type HandleDeps, processHandle } from "./process-handle.ts";
import { createProcessRecords, type ProcessRecord } from "./process-record.ts";
import type { AnswerBody } from "./protocol.ts";
import { expiredProcesses } from "./retention.ts";
import type { Supervisor } from "./supervisor.ts";

export interface SupervisorDeps {
  readonly home: string;
  /** The supervisor program (`src/bin/supervisor.ts` or its build), which Node runs. */
  readonly entry: string;
  /** Search path for `mkfifo`. */
  readonly searchPath?: string;
  /** Limit of the output file of each process. */
  readonly maxOutputBytes?: number;
  /** How long an idle supervisor keeps running. */
  readonly idleMs?: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The client of the supervisor. Disposing disconnects; processes continue to run. */
export function createSupervisor(deps: SupervisorDeps): Supervisor & AsyncDisposable {
  const { clock, log } = deps;
  const folder = processFolder(deps.home);
  const store = createProcessRecords(folder);
  const launch: LaunchDeps = {
    folder,
    entry: deps.entry,
    searchPath: deps.searchPath || "/usr/local/bin:/usr/bin:/bin",
    idleMs: deps.idleMs ?? 3_000,
    maxOutputBytes: deps.maxOutputBytes ?? 64 * 1024 * 1024,
    clock,
  };
  const closing = new AbortController();
  const recordsById = new Map<string, ProcessRecord>();
  let connection: Connection | undefined;
  let reaching: Promise<Result<Connection, EnvironmentError>> | undefined;

  async function reachNow(): Promise<Result<Connection, EnvironmentError>> {
    const own = ownFolder(folder);
    if (!own.ok) return own;
    const reached = await reachSupervisor(launch, closing.signal);
    if (reached.ok) {
      connection = reached.value;
      if (closing.signal.aborted) connection.close();
    } else log.warn("supervisor.unreachable", { message: reached.error.message });
    return reached;
  }

  /** All callers share one connection; aborting one call does not affect the others. */
  async function reach(signal: AbortSignal): Promise<Result<Connection, EnvironmentError>> {
    if (connection?.isOpen) return ok(connection);
    reaching ??= reachNow().finally(() => (reaching = undefined));
    return abortable(reaching, signal);
  }

  const handleDeps: HandleDeps = { store, reach, table: createMachineProcesses(clock), clock };

  function recordOf(id: string): ProcessRecord | undefined {
    const record = recordsById.get(id) ?? store.read(id);
    if (record?.pid !== undefined) recordsById.set(id, record);
    return record;
  }

  /** A running supervisor removes old records itself, but there may be none. */
  function tidy(records: readonly ProcessRecord[]): ReadonlySet<string> {
    const finished = records.flatMap(({ id }) => {
      const ending = store.ending(id);
      return ending ? [{ id, endedAt: ending.endedAt, bytes: 0 }] : [];
    });
    const removed = expiredProcesses(finished, clock.now());
    for (const id of removed) store.remove(id);
    return new Set(removed);
  }

  async function start(...[options, signal]: Parameters<Supervisor["start"]>): ReturnType<Supervisor["start"]> {
    const id = `proc_${randomHex(6)}`;
    const reached = await reach(signal);
    if (!reached.ok) return reached;
    const nothing = new Uint8Array();
    const never = new AbortController().signal;
    const answering = reached.value.ask({ what: "start", id, start: options }, nothing, never);
    try {
      const answer = await abortable(answering, signal);
      if ("fault" in answer) return err(faultOf(answer));
    } catch (thrown) {
      // The caller has aborted and would not know the process, so the process is killed.
      if (signal.aborted)
        void answering.then(() => reached.value.ask({ what: "remove", id }, nothing, never)).catch(ignore);
      if (!(thrown instanceof LostConnection)) throw thrown;
      return err({
        kind: "unreachable",
        message: `${thrown.message} while the command was starting; it may or may not be running`,
        hint: "List the processes before you start it again.",
      });
    }
    const record = recordOf(id);
    return record
      ? ok(processHandle(record, handleDeps))
      : err({ kind: "unreachable", message: "its record was removed" });
  }

  return {
    async start(options, signal) {
      try {
        const started = await start(options, signal);
        if (!started.ok) for (const path of options.files ?? []) rmSync(path, { force: true });
        return started;
      } catch (thrown) {
        if (signal.aborted) return err({ kind: "unreachable", message: "interrupted" });
        return err({ kind: "unreachable", message: reasonOf(thrown) });
      }
    },
    async list(signal, place): Promise<Result<readonly ProcessHandle[], EnvironmentError>> {
      if (signal.aborted) return err({ kind: "unreachable", message: "interrupted" });
      const all = store.ids().flatMap((id) => recordOf(id) ?? []);
      const removed = connection?.isOpen ? new Set<string>() : tidy(all);
      const kept = all.filter((record) => !removed.has(record.id));
      const ids = new Set(kept.map(({ id }) => id));
      for (const id of recordsById.keys()) if (!ids.has(id)) recordsById.delete(id);
      const own = kept.filter((record) => place === undefined || record.place === place);
      return ok(
        own
          .toSorted((a, b) => a.startedAt - b.startedAt || (a.pid ?? 0) - (b.pid ?? 0))
          .map((record) => processHandle(record, handleDeps)),
      );
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("the supervisor's client was closed"));
      await reaching?.catch(() => undefined);
      connection?.close();
    },
  };
}

function ignore(): void {}

function faultOf({ fault, kind = "unreachable", ...more }: Extract<AnswerBody, { fault: string }>): EnvironmentError {
  return {
    kind,
    message: fault,
    ...(more.hint !== undefined && { hint: more.hint }),
    ...(more.isRace && { isRace: true }),
  };
}

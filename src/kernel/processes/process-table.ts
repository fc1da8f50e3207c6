import { waitFor } from "../../base/async/bounded-wait.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { Environment, ProcessHandle, ProcessTable } from "../../contracts/environment/environment.ts";
import type { Inbox } from "../../contracts/host/ports.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import { omittedMessagesNotice } from "./messages.ts";
import { createWatchBudget } from "./watch-pace.ts";
import { type SendToInbox, type Watcher, watchProcess } from "./watcher.ts";

export interface ProcessTableDeps {
  readonly environment: Environment;
  readonly inbox: Inbox;
  /** Removes secrets from the output of a process before a session gets it. */
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: Logger;
  /** The id of this run of the program. */
  readonly program: string;
  /** The owner of the processes: `Principal.id`. */
  readonly principal: string;
}

/** The processes of one program. Disposing kills the same processes as `endOwn`, without messages. */
export interface OwnedProcessTable extends ProcessTable, AsyncDisposable {
  /** Returns the same table for calls that start processes in this environment. */
  startingIn(environment: Pick<Environment, "spawn">): ProcessTable;
  /** The running processes that this table started and that end with the program. Shown to the user before it exits. */
  own(signal: AbortSignal, session?: SessionId): Promise<readonly ProcessHandle[]>;
  /**
   * Adopts the processes that an earlier program, which has ended, started for the session. The session is notified of
   * processes that have already ended, and later when each of the others ends. Returns the running ones.
   */
  adopt(sessionId: SessionId, since: number, signal: AbortSignal): Promise<readonly ProcessHandle[]>;
  /**
   * Kills all processes in `own` in parallel. `fault` says why a process could not be killed. Rejects only with the
   * signal's reason.
   */
  endOwn(signal: AbortSignal, session?: SessionId): Promise<readonly EndedProcess[]>;
}

export interface EndedProcess {
  readonly handle: ProcessHandle;
  readonly fault?: string;
}

export function createProcessTable(deps: ProcessTableDeps): OwnedProcessTable {
  const { environment, inbox, clock, log, program, principal } = deps;
  const started = new Map<string, Started>();
  const tell: SendToInbox = (sessionId, from, text) =>
    inbox.put(sessionId, from, [{ type: "text", text: deps.redactor.redact(text) }]);
  const budget = createWatchBudget(clock, (sessionId, messages) => {
    tell(sessionId, "processes", omittedMessagesNotice(messages));
  });
  let isLeft = false;
  let forgetsAt = firstForgetting;

  /** Processes that have ended are removed from the map. */
  async function forgetEnded(signal: AbortSignal): Promise<void> {
    const running = new Set(await stillRunning([...started.values()], signal));
    for (const [id, one] of started) if (!running.has(one)) started.delete(id);
    forgetsAt = Math.max(firstForgetting, started.size * 2);
  }

  async function list(signal: AbortSignal): ReturnType<ProcessTable["list"]> {
    const listed = await environment.processes(signal);
    return listed.ok ? ok(listed.value.filter(({ owner }) => owner.principal === principal)) : listed;
  }

  async function own(signal: AbortSignal, session?: SessionId): Promise<readonly Started[]> {
    const isOwn = ({ owner }: ProcessHandle) => !owner.isKept && (session === undefined || owner.session === session);
    return stillRunning(
      [...started.values()].filter(({ handle }) => isOwn(handle)),
      signal,
    );
  }

  async function endOwn(signal: AbortSignal, session?: SessionId): Promise<readonly EndedProcess[]> {
    const running = await own(signal, session);
    return Promise.all(
      running.map(async ({ handle, watcher }) => {
        watcher.noteEnd();
        const killed = await handle.kill(signal);
        return killed.ok ? { handle } : { handle, fault: killed.error.message };
      }),
    );
  }

  const startIn =
    (place: Pick<Environment, "spawn">): ProcessTable["start"] =>
    async (command, { sessionId, keep, notifyOnComplete, watchPatterns, ...options }, signal) => {
      if (isLeft) return err(left);
      if (started.size >= forgetsAt) await forgetEnded(signal);
      const owner = { program, session: sessionId, principal, isKept: keep };
      const spawned = await place.spawn(command, { ...options, owner }, signal);
      if (!spawned.ok) return spawned;
      const handle = spawned.value;
      if (isLeft && !keep) {
        await handle.kill(signal);
        return err(left);
      }
      const wish = { sessionId, notifyOnComplete, patterns: watchPatterns };
      started.set(handle.id, { handle, watcher: watchProcess(handle, wish, { tell, clock, log, budget }) });
      return spawned;
    };

  const table: ProcessTable = {
    start: startIn(environment),
    list,
    async find(id, signal) {
      const listed = await list(signal);
      if (listed.ok) return pickProcess(id, listed.value);
      const { message, hint } = listed.error;
      return err({ message: hint === undefined ? message : `${message}. ${hint}` });
    },
    watching: (id) => started.get(id)?.watcher.watching,
    noteEnd: (id) => started.get(id)?.watcher.noteEnd(),
  };
  return {
    ...table,
    startingIn: (place) => ({ ...table, start: startIn(place) }),
    async adopt(sessionId, since, signal) {
      const listed = await list(signal);
      const left = listed.ok
        ? listed.value.filter(({ id, owner }) => owner.session === sessionId && !started.has(id))
        : [];
      const endings = await Promise.all(left.map((handle) => handle.ending(signal)));
      const untold = left.filter((_, index) => (endings[index]?.endedAt ?? Infinity) > since);
      if (isLeft) return [];
      for (const handle of untold) {
        const wish = { sessionId, notifyOnComplete: true, patterns: [] };
        started.set(handle.id, { handle, watcher: watchProcess(handle, wish, { tell, clock, log, budget }) });
      }
      return left.filter((_, index) => endings[index] === undefined);
    },
    own: async (signal, session) => (await own(signal, session)).map(({ handle }) => handle),
    endOwn,
    [Symbol.asyncDispose]: once(async () => {
      isLeft = true;
      budget[Symbol.dispose]();
      for (const { watcher } of started.values()) watcher[Symbol.dispose]();
      const stopping = new AbortController();
      try {
        const waited = await waitFor(endOwn(stopping.signal), { ms: leavingMs, clock });
        const faults = waited.how === "done" ? waited.value.filter(({ fault }) => fault !== undefined) : [];
        if (waited.how !== "done") log.warn("processes.not_ended_in_time", { program });
        for (const { handle, fault } of faults) log.warn("process.not_ended", { id: handle.id, error: fault });
      } catch (thrown) {
        log.warn("processes.not_ended", { program, error: reasonOf(thrown) });
      }
      stopping.abort(new Error("the program was left"));
      started.clear();
    }),
  };
}

interface Started {
  readonly handle: ProcessHandle;
  readonly watcher: Watcher;
}

const firstForgetting = 64;
/** Killing a process tree takes a moment if it ignores SIGTERM. */
const leavingMs = 10_000;

const left = { kind: "unreachable", message: "the program is being left; nothing was started" } as const;

async function stillRunning(all: readonly Started[], signal: AbortSignal): Promise<readonly Started[]> {
  const endings = await Promise.all(all.map(({ handle }) => handle.ending(signal)));
  return all.filter((_, index) => endings[index] === undefined);
}

/**
 * Returns the process with this id, or with an id that starts with these four or more digits. A fault lists the
 * candidates.
 */
function pickProcess(id: string, handles: readonly ProcessHandle[]): Result<ProcessHandle> {
  const text = id.trim();
  const digits = text.replace(/^proc_/u, "");
  const exact = handles.find((handle) => handle.id === text);
  if (exact) return ok(exact);
  const alike = digits.length < minDigits ? [] : handles.filter((handle) => handle.id.startsWith(`proc_${digits}`));
  const [only] = alike;
  if (only && alike.length === 1) return ok(only);
  const shown = JSON.stringify(oneLine(text, 60));
  if (alike.length > 1)
    return err({ message: `${shown} is the beginning of several: ${listed(alike)}. Give more digits.` });
  const short = digits.length < minDigits && digits !== "" ? ` A prefix needs ${minDigits} digits or more.` : "";
  return err({
    message: `There is no background process ${shown}.${short} ${
      handles.length === 0
        ? "There are none. Start one with terminal and background: true."
        : `There are: ${listed(handles)}.`
    }`,
  });
}

const minDigits = 4;
const maxListed = 10;

/** Newest first. */
function listed(handles: readonly ProcessHandle[]): string {
  const shown = handles
    .toReversed()
    .slice(0, maxListed)
    .map(({ id, command }) => `${id} (${oneLine(command, 40)})`);
  const more = handles.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

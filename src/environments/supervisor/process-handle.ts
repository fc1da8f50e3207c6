import { join } from "node:path";

import { sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError, ProcessEnding, ProcessHandle } from "../../contracts/environment/environment.ts";
import type { MachineProcesses } from "../local/machine-processes.ts";
import { sizeFault } from "../pty/pty-size.ts";
import { type Connection, LostConnection } from "./connection.ts";
import { readOutput } from "./output-ring.ts";
import type { ProcessRecord, ProcessRecords } from "./process-record.ts";
import type { SupervisorAnswer, UnnumberedRequest } from "./protocol.ts";

export interface HandleDeps {
  readonly store: ProcessRecords;
  /** Starts the supervisor if none runs. */
  reach(signal: AbortSignal): Promise<Result<Connection, EnvironmentError>>;
  readonly table: MachineProcesses;
  readonly clock: Clock;
}

/**
 * A process of the home. Records are read from disk, with or without a supervisor; everything else goes to the
 * supervisor, which is started again if it was lost.
 */
export function processHandle(record: ProcessRecord, deps: HandleDeps): ProcessHandle {
  const { store, clock } = deps;
  const { id, command, cwd, backend, pid, startedAt, owner, isTerminal, isConfined = false } = record;
  let knownEnding: ProcessEnding | undefined;

  const written = () => (knownEnding ??= store.ending(id));

  /** Retries once when the supervisor is lost, unless that could run the request twice. */
  async function ask(
    request: UnnumberedRequest,
    signal: AbortSignal,
    bytes: Uint8Array = new Uint8Array(),
  ): Promise<Result<SupervisorAnswer>> {
    for (let isAgain = false; ; isAgain = true) {
      const reached = await deps.reach(signal);
      if (!reached.ok) return err({ message: withHint(reached.error) });
      try {
        const answer = await reached.value.ask(request, bytes, signal);
        return "fault" in answer ? err({ message: answer.fault }) : ok(answer);
      } catch (thrown) {
        if (!(thrown instanceof LostConnection)) throw thrown;
        if (request.what === "write")
          return err({ message: `${thrown.message}; the input may or may not have arrived` });
        if (isAgain) return err({ message: thrown.message });
      }
    }
  }

  async function tell(request: UnnumberedRequest, signal: AbortSignal, bytes?: Uint8Array): Promise<Result<void>> {
    if (written()) return err({ message: "it has ended" });
    const result = await unlessAborted(ask(request, signal, bytes), signal);
    return result.ok ? ok(undefined) : result;
  }

  const endingIn = (answer: Result<SupervisorAnswer>) =>
    answer.ok && "ending" in answer.value && answer.value.ending ? (knownEnding = answer.value.ending) : undefined;

  /** Fallback when no supervisor can be started. */
  function isGone(): boolean {
    return pid === undefined || deps.table.find(pid)?.startedTicks !== record.startedTicks;
  }

  return {
    id,
    command,
    cwd,
    backend,
    pid,
    startedAt,
    owner,
    isTerminal,
    isConfined,
    async ending(signal) {
      signal.throwIfAborted();
      if (written()) return knownEnding;
      const answer = await ask({ what: "ending", id }, signal);
      if (answer.ok) return endingIn(answer);
      return isGone() ? { how: "lost", endedAt: clock.now() } : undefined;
    },
    async wait(signal) {
      for (;;) {
        signal.throwIfAborted();
        const ending = written() ?? endingIn(await ask({ what: "wait", id }, signal));
        if (ending) return ending;
        if (isGone()) return { how: "lost", endedAt: clock.now() };
        await sleep(retryMs, signal, clock);
      }
    },
    async output(from, signal) {
      signal.throwIfAborted();
      return readOutput(join(store.folderOf(id), "output"), from);
    },
    async screen(signal) {
      if (!isTerminal) return err({ message: "it has no terminal" });
      const last = written() && store.screen(id);
      if (last) return ok(last);
      const answer = await unlessAborted(ask({ what: "screen", id }, signal), signal);
      if (!answer.ok) return answer;
      const screen = "screen" in answer.value ? answer.value.screen : undefined;
      return screen ? ok(screen) : err({ message: "its screen is not available" });
    },
    async resize(size, signal) {
      const fault = sizeFault(size);
      if (fault !== undefined) return err({ message: fault });
      return tell({ what: "resize", id, size }, signal);
    },
    async write(bytes, signal) {
      // Written in pieces: each one waits until the process has read the previous one.
      for (let from = 0; from < bytes.length || from === 0; from += pieceBytes) {
        const piece = bytes.subarray(from, from + pieceBytes);
        const done = await tell({ what: "write", id }, signal, piece);
        if (!done.ok) return done;
      }
      return ok(undefined);
    },
    closeInput: (signal) => tell({ what: "closeInput", id }, signal),
    async kill(signal) {
      const ending = written();
      if (ending) return ok(ending);
      const answer = await unlessAborted(ask({ what: "kill", id }, signal), signal);
      const killed = endingIn(answer);
      if (killed) return ok(killed);
      return answer.ok ? err({ message: "it could not be killed" }) : answer;
    },
    async remove(signal) {
      if (written()) {
        store.remove(id);
        return;
      }
      await ask({ what: "remove", id }, signal);
    },
  };
}

const pieceBytes = 64 * 1024;
const retryMs = 1_000;

/** Returns an aborted request as a fault instead of throwing. */
async function unlessAborted<T>(asking: Promise<Result<T>>, signal: AbortSignal): Promise<Result<T>> {
  return asking.catch((thrown: unknown) => {
    if (signal.aborted) return err({ message: "interrupted" });
    throw thrown;
  });
}

function withHint({ message, hint }: EnvironmentError): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}

import { abortable, sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { LinkEnd, LinkFault } from "../remote/link.ts";

/** A machine that starts on first use, is shared by all scripts, and is recreated when it no longer exists. */
export interface RestartableMachine<M> extends AsyncDisposable {
  /**
   * `use` returns `gone` only if the script has not started; it is then called again with another machine. Never
   * rejects.
   */
  run(use: (machine: M) => Promise<LinkEnd | "gone">, signal: AbortSignal): Promise<LinkEnd>;
  latest(): M | undefined;
}

export interface RestartableMachineDeps<M> {
  /** `signal` aborts when the link closes. A single caller gives up through its own signal. */
  open(signal: AbortSignal): Promise<Result<M, LinkFault>>;
  readonly clock: Clock;
}

export function createRestartableMachine<M>({ open, clock }: RestartableMachineDeps<M>): RestartableMachine<M> {
  const closing = new AbortController();
  let opening: Promise<Result<M, LinkFault>> | undefined;
  let latest: M | undefined;

  async function attempt(use: (machine: M) => Promise<LinkEnd | "gone">, signal: AbortSignal): Promise<LinkEnd> {
    const startedAt = clock.elapsed();
    for (let pauseMs = 0; ; pauseMs = 100) {
      if (pauseMs > 0) await sleep(pauseMs, signal, clock);
      const current = (opening ??= open(closing.signal));
      const opened = await abortable(current, signal);
      if (opened.ok) {
        latest = opened.value;
        const ended = await use(opened.value);
        if (ended !== "gone") return ended;
      }
      // The first caller looks for a machine; the others wait for its result.
      if (opening === current) opening = undefined;
      if (!opened.ok) return opened.error;
      if (clock.elapsed() - startedAt > patienceMs) {
        return { how: "broken", message: "the environment keeps exiting; the command did not run" };
      }
    }
  }

  return {
    latest: () => latest,
    async run(use, signal) {
      try {
        return await attempt(use, AbortSignal.any([signal, closing.signal]));
      } catch {
        return { how: "aborted" };
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("the environment was closed"));
      await opening;
    },
  };
}

/** Time limit for a machine to shut down, much longer than it takes. */
const patienceMs = 60_000;

import { abortable, sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { LinkEnd, LinkFault } from "../remote/link.ts";

/** A machine that is made when it is first needed, shared by all scripts, and made again when it is found gone. */
export interface Reviving<M> extends AsyncDisposable {
  /**
   * `use` says `gone` only when nothing of the script has begun: it is called again with another machine. Never rejects.
   */
  run(use: (machine: M) => Promise<LinkEnd | "gone">, signal: AbortSignal): Promise<LinkEnd>;
  /** The one that was used last. */
  latest(): M | undefined;
}

export interface RevivingDeps<M> {
  /** `signal`: the link is closed. One that waits alone gives up by itself. */
  open(signal: AbortSignal): Promise<Result<M, LinkFault>>;
  readonly clock: Clock;
}

export function createReviving<M>({ open, clock }: RevivingDeps<M>): Reviving<M> {
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
      // Whoever comes first looks anew; the others wait for the same answer.
      if (opening === current) opening = undefined;
      if (!opened.ok) return opened.error;
      if (clock.elapsed() - startedAt > patienceMs) {
        return { how: "broken", message: "what commands run in ends again and again; nothing was run" };
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

/** One that is on its way out is gone long before. */
const patienceMs = 60_000;

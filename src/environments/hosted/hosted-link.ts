import { waitFor } from "../../base/async/bounded-wait.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Link, LinkEnd, LinkStreams } from "../remote/link.ts";

/** A link to a machine that is rented: closing it switches the machine off. */
export interface HostedLink extends Link {
  /** There is a machine, or one is on its way. */
  readonly isUsed: boolean;
  /** Closing leaves the machine on. */
  leaveOn(): void;
}

export interface HostedLinkParts {
  readonly kind: string;
  isUsed(): boolean;
  /** As of a link, only that it may reject when its signal is aborted. */
  run(script: string, streams: LinkStreams): Promise<LinkEnd>;
  /** Called once. */
  close(staysOn: boolean): Promise<void>;
  /** For closing; what takes longer is not waited for. */
  readonly closeMs: number;
  readonly clock: Clock;
}

export function createHostedLink({ kind, isUsed, run, close, closeMs, clock }: HostedLinkParts): HostedLink {
  let isClosed = false;
  let staysOn = false;
  return {
    kind,
    get isUsed() {
      return isUsed();
    },
    leaveOn() {
      staysOn = true;
    },
    async run(script, streams) {
      if (isClosed) return { how: "broken", message: "the environment was closed" };
      if (streams.signal.aborted) return { how: "aborted" };
      try {
        return await run(script, streams);
      } catch (thrown) {
        if (streams.signal.aborted) return { how: "aborted" };
        throw thrown;
      }
    },
    [Symbol.asyncDispose]: once(async () => {
      isClosed = true;
      await waitFor(close(staysOn), { ms: closeMs, clock });
    }),
  };
}

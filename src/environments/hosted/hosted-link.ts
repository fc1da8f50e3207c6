import { waitFor } from "../../base/async/bounded-wait.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Link, LinkEnd, LinkStreams } from "../remote/link.ts";

/** A link to a rented machine: closing the link switches the machine off. */
export interface HostedLink extends Link {
  /** Whether a machine exists or is being started. */
  readonly isUsed: boolean;
  /** Closes the link and leaves the machine on. */
  leaveOn(): void;
}

export interface HostedLinkParts {
  readonly kind: string;
  isUsed(): boolean;
  /** Like `run` of a link, except that it may reject when its signal aborts. */
  run(script: string, streams: LinkStreams): Promise<LinkEnd>;
  /** Releases the machine. Called once. */
  close(staysOn: boolean): Promise<void>;
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

import type { Clock } from "../../base/clock.ts";
import { ok, type Result } from "../../base/result.ts";
import { connectCdp } from "../cdp/connection.ts";
import { openSocketWire } from "../cdp/socket-wire.ts";
import { type BrowserSource, runInTurn } from "./browser-source.ts";

export interface AttachedSourceDeps {
  /** The WebSocket of the browser, found or opened at a service. `release`: the conversation no longer uses it. */
  readonly address: () => Promise<Result<AttachedAddress>>;
  /** The folder for files that a page receives. */
  readonly tempFolder: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

export interface AttachedAddress {
  readonly webSocketUrl: string;
  /** A description such as "the browser at localhost:9222". */
  readonly description: string;
  /** True if it runs on this machine and can read its files. */
  readonly isLocal: boolean;
  /** The user's own browser, with their logins. */
  readonly isPersonal: boolean;
  readonly warnings: readonly string[];
  release(): Promise<void>;
}

/** A browser that runs already. Only navigations can be checked there. */
export function createAttachedSource({ address, tempFolder, clock, timeoutMs }: AttachedSourceDeps): BrowserSource {
  return {
    async open() {
      const target = await address();
      if (!target.ok) return target;
      const { webSocketUrl, description, isPersonal, isLocal, warnings, release } = target.value;
      const wire = await openSocketWire(webSocketUrl, AbortSignal.timeout(timeoutMs));
      if (!wire.ok) {
        await release();
        return wire;
      }
      const connection = connectCdp(wire.value, { clock, timeoutMs });
      const discover = { discover: true, filter: [{ type: "page" }] };
      // An old browser does not support the filter.
      await connection
        .send("Target.setDiscoverTargets", discover)
        .catch(async () => connection.send("Target.setDiscoverTargets", { discover: true }).catch(() => {}));
      return ok({
        connection,
        description,
        contextId: undefined,
        attachesItself: false,
        admission: undefined,
        checks: "navigations",
        ...(isPersonal && { login: `it is ${description}, with its logins` }),
        warnings: [`Only navigations are checked in ${description}; other requests of its pages are not.`, ...warnings],
        downloads: undefined,
        uploads: isPersonal && isLocal ? { folder: tempFolder, owner: undefined } : undefined,
        alone: runInTurn(),
        ended: connection.closed,
        async close() {
          connection[Symbol.dispose]();
          await release();
        },
      });
    },
  };
}

import type { Clock } from "../../base/clock.ts";
import type { CdpSession } from "../cdp/connection.ts";
import type { NetworkActivity } from "./tab.ts";

export interface ActivityRecorder extends NetworkActivity {
  /** Follows the requests of a target. */
  follow(session: CdpSession): void;
  /** A navigation of the main frame begins or ends. */
  setLoading(isLoading: boolean): void;
  reset(): void;
}

/** Tracks the open requests of a tab. */
export function recordActivity(clock: Clock): ActivityRecorder {
  const open = new Map<string, { readonly since: number }>();
  const listeners = new Set<() => void>();
  let changedAt = clock.elapsed();
  let isLoading = false;

  function changed(): void {
    changedAt = clock.elapsed();
    for (const listener of listeners) listener();
  }

  return {
    follow(session) {
      session.on("Network.requestWillBeSent", ({ requestId, type, request }) => {
        const { url = "" } = request as { readonly url?: string };
        if (typeof type === "string" && endless.has(type)) return;
        if (/^(?:data|blob):/iu.test(url)) return;
        if (open.size >= maxOpen) open.clear();
        open.set(`${session.id} ${String(requestId)}`, { since: clock.elapsed() });
        changed();
      });
      const end = ({ requestId }: Readonly<Record<string, unknown>>): void => {
        if (open.delete(`${session.id} ${String(requestId)}`)) changed();
      };
      session.on("Network.loadingFinished", end);
      session.on("Network.loadingFailed", end);
      session.on("Network.requestServedFromCache", end);
      session.on("Network.responseReceived", (params) => {
        const { mimeType } = params["response"] as { readonly mimeType?: string };
        if (mimeType === "text/event-stream") end(params);
      });
    },
    setLoading(next) {
      isLoading = next;
      changed();
    },
    reset() {
      open.clear();
      isLoading = false;
      changed();
    },
    pending() {
      const now = clock.elapsed();
      let count = 0;
      for (const { since } of open.values()) if (now - since < longPollMs) count++;
      return count;
    },
    quietMs: () => clock.elapsed() - changedAt,
    isLoading: () => isLoading,
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

const endless: ReadonlySet<string> = new Set(["WebSocket", "EventSource", "Ping", "Preflight", "CSPViolationReport"]);
const longPollMs = 5_000;
const maxOpen = 10_000;

import type { Clock } from "../../base/clock.ts";
import type { CdpSession } from "../cdp/connection.ts";
import type { NetworkActivity } from "./tab.ts";

export interface ActivityRecorder extends NetworkActivity {
  /** Follows the requests of a target. */
  follow(session: CdpSession): void;
  /** A worker of the document has started with this script. Its requests count, too. */
  followWorker(session: CdpSession, url: string): void;
  /** A worker has ended, if it was one. */
  forgetWorker(sessionId: string): void;
  /** Another document: the sockets and workers of the last one do not count. */
  startDocument(): void;
  /** The page has requested a navigation of the main frame. On a busy machine it begins much later, or never. */
  expectNavigation(): void;
  /** A navigation of the main frame begins or ends. */
  setLoading(isLoading: boolean): void;
  reset(): void;
}

/** Tracks the open requests of a tab. */
export function recordActivity(clock: Clock): ActivityRecorder {
  const open = new Map<string, { readonly since: number; readonly url: string }>();
  const listeners = new Set<() => void>();
  /** Workers, sockets and event streams of the document. */
  const feeds = new Set<string>();
  let changedAt = clock.elapsed();
  let isLoading = false;
  /** The time until which an expected navigation counts as loading. */
  let expectedUntil = -Infinity;
  let navigations = 0;

  function changed(): void {
    changedAt = clock.elapsed();
    for (const listener of listeners) listener();
  }

  function follow(session: CdpSession): void {
    const keyOf = (requestId: unknown): string => `${session.id} ${String(requestId)}`;
    session.on("Network.requestWillBeSent", ({ requestId, type, request }) => {
      const { url = "" } = request as { readonly url?: string };
      if (type === "EventSource") addFeed(keyOf(requestId));
      if (typeof type === "string" && endless.has(type)) return;
      if (/^(?:data|blob):/iu.test(url)) return;
      if (open.size >= maxOpen) open.clear();
      open.set(keyOf(requestId), { since: clock.elapsed(), url });
      changed();
    });
    const end = ({ requestId }: Readonly<Record<string, unknown>>): void => {
      feeds.delete(keyOf(requestId));
      if (open.delete(keyOf(requestId))) changed();
    };
    session.on("Network.webSocketCreated", ({ requestId }) => addFeed(keyOf(requestId)));
    session.on("Network.webSocketClosed", end);
    session.on("Network.loadingFinished", end);
    session.on("Network.loadingFailed", end);
    session.on("Network.requestServedFromCache", end);
    session.on("Network.responseReceived", (params) => {
      const { mimeType } = params["response"] as { readonly mimeType?: string };
      if (mimeType !== "text/event-stream") return;
      end(params);
      addFeed(keyOf(params["requestId"]));
    });
  }

  function addFeed(key: string): void {
    if (feeds.size < maxOpen) feeds.add(key);
  }

  return {
    follow,
    followWorker(session, url) {
      addFeed(session.id);
      // The page asks for the script, and nobody reports its end there.
      for (const [key, request] of open) if (request.url === url) open.delete(key);
      changed();
      follow(session);
    },
    forgetWorker: (sessionId) => void feeds.delete(sessionId),
    startDocument() {
      feeds.clear();
      navigations += 1;
    },
    expectNavigation() {
      navigations += 1;
      expectedUntil = clock.elapsed() + expectedMs;
      changed();
    },
    setLoading(next) {
      isLoading = next;
      expectedUntil = -Infinity;
      changed();
    },
    reset() {
      open.clear();
      feeds.clear();
      isLoading = false;
      expectedUntil = -Infinity;
      changed();
    },
    pending() {
      const now = clock.elapsed();
      let count = 0;
      for (const { since } of open.values()) if (now - since < longPollMs) count++;
      return count;
    },
    quietMs: () => clock.elapsed() - changedAt,
    isLoading: () => isLoading || clock.elapsed() < expectedUntil,
    isFed: () => feeds.size > 0,
    navigations: () => navigations,
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

const endless: ReadonlySet<string> = new Set(["WebSocket", "EventSource", "Ping", "Preflight", "CSPViolationReport"]);
/** External programs, and pages that cancel, never begin the navigation that was requested. */
const expectedMs = 2_000;
const longPollMs = 5_000;
const maxOpen = 10_000;

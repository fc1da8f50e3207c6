import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

import type { Clock } from "../../base/clock.ts";
import { lostAnswerCode, malformedAnswerCode, type TransportError } from "./fault.ts";

export interface StreamDeps {
  /** Returns undefined to drop the message. */
  readonly inbound: (message: JSONRPCMessage) => JSONRPCMessage | undefined;
  /** Why the last stream ended. */
  readonly fault: () => TransportError | undefined;
  readonly clock: Clock;
}

/**
 * Wraps a transport of the library so that no request waits forever: a request whose stream ended without a response
 * fails immediately, and the stream of a cancelled request is closed.
 */
export function watchStreams(inner: Transport, { inbound, fault, clock }: StreamDeps): Transport {
  const waiting = new Map<string | number, AbortController>();

  const lose = (id: string | number): void => {
    if (!waiting.delete(id)) return;
    const { kind, message = "the connection ended before the answer" } = fault() ?? {};
    const error = { code: kind === "malformed" ? malformedAnswerCode : lostAnswerCode, message };
    outer.onmessage?.({ jsonrpc: "2.0", id, error });
  };

  const outer: Transport = {
    hasPerRequestStream: true,
    start: () => inner.start(),
    async close() {
      waiting.clear();
      await inner.close();
    },
    async send(message, options) {
      if ("method" in message && "id" in message) {
        const { id } = message;
        const cut = new AbortController();
        waiting.set(id, cut);
        const signals = options?.requestSignal ? [options.requestSignal, cut.signal] : [cut.signal];
        await inner
          .send(message, {
            ...options,
            requestSignal: AbortSignal.any(signals),
            onRequestStreamEnd() {
              options?.onRequestStreamEnd?.();
              lose(id);
            },
          })
          .catch((thrown: unknown) => {
            waiting.delete(id);
            throw thrown;
          });
        return;
      }
      const cancelled = cancelledBy(message);
      await inner.send(message, options);
      const cut = cancelled === undefined ? undefined : waiting.get(cancelled);
      if (cancelled === undefined || !cut) return;
      waiting.delete(cancelled);
      clock.after(cancelGraceMs, () => cut.abort());
    },
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
  };
  Object.assign(inner, {
    onmessage(message: JSONRPCMessage, extra: undefined) {
      if (!("method" in message) && message.id !== undefined) waiting.delete(message.id);
      const passed = inbound(message);
      if (passed) outer.onmessage?.(passed, extra);
    },
    onclose: () => outer.onclose?.(),
    onerror: (error: Error) => outer.onerror?.(error),
  });
  return outer;
}

/** Some servers respond to a cancelled request. */
const cancelGraceMs = 1_000;

function cancelledBy(message: JSONRPCMessage): string | number | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

import type { JSONRPCMessage } from "@modelcontextprotocol/client";

import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { malformedAnswerCode } from "./fault.ts";

/**
 * Passes on the messages of a server. An invalid response becomes an error, so that its request does not wait. A
 * flood of requests and notifications is dropped, because handling them costs more than sending them.
 */
export function createInbound(
  clock: Clock,
  onFlood: () => void,
): (message: JSONRPCMessage) => JSONRPCMessage | undefined {
  let windowStart = -Infinity;
  let count = 0;

  return (message) => {
    if (!("method" in message)) return checkedAnswer(message);
    const now = clock.elapsed();
    if (now - windowStart > windowMs) {
      windowStart = now;
      count = 0;
    }
    count += 1;
    if (count <= maxPerWindow) return message;
    if (count === maxPerWindow + 1) onFlood();
    return undefined;
  };
}

/** Writes an entry to the server's log. */
export const floodEntry = {
  level: "warning",
  logger: "client",
  text: "The server sends more than 1000 messages a second; some were dropped.",
} as const;

const windowMs = 1_000;
const maxPerWindow = 1_000;

type Answer = Exclude<JSONRPCMessage, { method: string }>;

function checkedAnswer(message: Answer): JSONRPCMessage {
  const { id, result, error }: { id?: unknown; result?: unknown; error?: unknown } = message;
  if (error === undefined ? isObject(result) : isError(error)) return message;
  if (typeof id !== "string" && typeof id !== "number") return message;
  return {
    jsonrpc: "2.0",
    id,
    error: { code: malformedAnswerCode, message: "the server's response is not an object" },
  };
}

function isError(error: unknown): boolean {
  return isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === "string";
}

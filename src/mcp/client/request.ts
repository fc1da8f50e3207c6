import type { Client, Progress, RequestOptions, StandardSchemaV1 } from "@modelcontextprotocol/client";

import { linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { McpCallLimits, McpFault, McpLimits } from "../../contracts/mcp/connection.ts";
import { faultOf, TransportError } from "./fault.ts";

/** Sends one request to the server and checks only that the result is an object. Never rejects. */
export type AskServer = (
  method: string,
  params: JsonObject,
  limits: McpCallLimits,
) => Promise<Result<JsonObject, McpFault>>;

export function createAsker(
  client: Client,
  server: string,
  deps: {
    readonly clock: Clock;
    readonly redact: (text: string) => string;
    readonly complaint: () => string;
    readonly end: () => string | undefined;
  },
): AskServer {
  return async (method, params, limits) => {
    const { signal, onProgress } = limits;
    const aborted = (isSent: boolean): McpFault => ({
      kind: "aborted",
      message: `MCP server ${server}: the request was cancelled`,
      isSent,
    });
    if (signal.aborted) return err(aborted(false));
    using link = linkAbort(signal);
    using limit = limitSilence(limits, deps.clock, () =>
      link.abort(new TransportError("timeout", "no answer in time", true)),
    );
    const note =
      onProgress &&
      throttled(deps.clock, ({ progress, total, message }: Progress) =>
        onProgress(oneLine(message ?? (total === undefined ? `${progress}` : `${progress}/${total}`), maxNoteChars)),
      );
    const options: RequestOptions = {
      signal: link.signal,
      // A timer of our own, because the library's timer cannot pause.
      timeout: maxTimeoutMs,
      ...(note && {
        onprogress(progress) {
          limit.restart();
          note(progress);
        },
      }),
    };
    try {
      return ok(await client.request({ method, params }, anyResult, options));
    } catch (thrown) {
      if (signal.aborted) return err(aborted(true));
      const fault = faultOf(server, link.signal.aborted ? link.signal.reason : thrown, deps.redact, deps.end());
      const complaint = fault.kind === "transport" && fault.isSent ? deps.complaint() : "";
      return err(
        complaint === ""
          ? fault
          : { ...fault, message: `${fault.message}. The server wrote: ${deps.redact(complaint)}` },
      );
    }
  };
}

/** Calls `expire` when the time limit is exceeded. Progress restarts the timer, up to a maximum. */
function limitSilence(
  { timeoutMs, pausedMs = () => 0 }: McpLimits,
  clock: Clock,
  expire: () => void,
): Disposable & { restart(): void } {
  /** A clock that stands still while the user answers a question. */
  const now = () => clock.elapsed() - pausedMs();
  const endsAt = now() + timeoutMs * maxExtensions;
  let expiresAt = now() + timeoutMs;
  let timer = clock.after(Math.min(timeoutMs, maxTimeoutMs), check);

  function check(): void {
    const leftMs = Math.min(expiresAt, endsAt) - now();
    if (leftMs < 1) return expire();
    timer = clock.after(Math.min(Math.max(leftMs, minCheckMs), maxTimeoutMs), check);
  }

  return {
    restart: () => void (expiresAt = now() + timeoutMs),
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

/** Passes on only the first of several values within a short time. */
function throttled<T>(clock: Clock, run: (value: T) => void): (value: T) => void {
  let nextAt = -Infinity;
  return (value) => {
    const now = clock.elapsed();
    if (now < nextAt) return;
    nextAt = now + minNoteMs;
    run(value);
  };
}

const minNoteMs = 50;
const maxNoteChars = 200;
/** Progress can prolong a call up to this many times its limit. */
const maxExtensions = 12;
/** While the user answers, the remaining time does not change. */
const minCheckMs = 100;
/** The maximum duration of a timer. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Replaces the library's schemas, which reject a whole list because of one part. */
const anyResult: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": {
    version: 1,
    vendor: "hermes",
    validate: (value: unknown) =>
      // The cast is safe: a parsed message is JSON.
      isObject(value) ? { value: value as JsonObject } : { issues: [{ message: "the result is not an object" }] },
  },
};

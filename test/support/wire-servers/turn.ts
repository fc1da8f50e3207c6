import type { IncomingHttpHeaders } from "node:http";

import type { JsonObject } from "../../../src/base/json.ts";

/** A scripted server's answer to one request. Every field is optional: an empty turn is an empty answer. */
export interface ScriptedTurn {
  readonly reasoning?: string | readonly string[];
  /** A list is sent piece by piece. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly ScriptedCall[];
  /** `none`: no usage is sent. */
  readonly usage?: Partial<ScriptedUsage> | "none";
  readonly stop?: "end" | "calls" | "length" | "refused";
  /** A protocol error instead of an answer. */
  readonly error?: ScriptedError;
  /** An error inside a stream that began well: sent after the text. */
  readonly errorInStream?: ScriptedError;
  /** Bytes that replace the whole response. */
  readonly raw?: { readonly status?: number; readonly body: string | Buffer };
  /** Additional stream events, sent unchanged before the end marks. */
  readonly events?: readonly JsonObject[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly fault?: Fault;
}

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  /** The namespace of the tool, in the protocol that has them (responses). */
  readonly namespace?: string;
  readonly args?: JsonObject | string;
  /** The chunks of the arguments, instead of two halves. */
  readonly pieces?: readonly string[];
}

export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export interface ScriptedError {
  readonly status?: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
}

/** Faults of the transmission. */
export interface Fault {
  /** Bytes a write: 1 splits everywhere. */
  readonly chunkBytes?: number;
  /** Pause between writes. */
  readonly dripMs?: number;
  /** The delay before the response headers. */
  readonly delayMs?: number;
  /** The delay after the headers, before the body. */
  readonly bodyDelayMs?: number;
  /** The connection is cut after this number of bytes of the body. */
  readonly disconnectAfter?: number;
  /** The body ends, properly, after so many bytes. */
  readonly endAfter?: number;
  /** Stops after this many bytes, and the connection stays open. */
  readonly hangAfter?: number;
  /** Comments before each event of the stream. */
  readonly keepAlives?: number;
  readonly contentType?: string;
  readonly newline?: "\n" | "\r\n" | "\r";
  readonly bom?: boolean;
  readonly encoding?: "gzip" | "br" | "deflate";
  /** Sends the answer as one document, even if a stream was requested. */
  readonly whole?: boolean;
  /** One JSON document per line, without `data:`. */
  readonly ndjson?: boolean;
  /** Omits the end mark (`[DONE]`, `message_stop`) and the finish reason. */
  readonly noEnd?: boolean;
  readonly redirect?: { readonly status: number; readonly to: string };
}

export interface RecordedRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as JSON; an empty object if it is not JSON. */
  readonly json: JsonObject;
  /** The key, however it was sent. */
  readonly key: string | undefined;
  /** Epoch milliseconds when it was complete. */
  readonly at: number;
}

/** How the server implements one protocol. */
export interface Dialect {
  wantsStream(request: RecordedRequest): boolean;
  /** Events of the stream in order, each with its name if the protocol has names. */
  stream(turn: ScriptedTurn, request: RecordedRequest, number: number): readonly StreamedEvent[];
  whole(turn: ScriptedTurn, request: RecordedRequest, number: number): JsonObject;
  error(error: ScriptedError): JsonObject;
}

export interface StreamedEvent {
  readonly event?: string;
  readonly data: JsonObject | string;
  /** Left out by the fault `noEnd`. */
  readonly end?: boolean;
}

export function piecesOf(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return [];
  return typeof text === "string" ? [text] : text;
}

export function argumentPieces({ args = {}, pieces }: ScriptedCall): readonly string[] {
  if (pieces) return pieces;
  const text = typeof args === "string" ? args : JSON.stringify(args);
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
}

export function usageOf({ usage }: ScriptedTurn): ScriptedUsage | undefined {
  if (usage === "none") return undefined;
  return { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...usage };
}

export function stopOf(turn: ScriptedTurn): NonNullable<ScriptedTurn["stop"]> {
  return turn.stop ?? ((turn.calls?.length ?? 0) > 0 ? "calls" : "end");
}

export function callId(call: ScriptedCall, number: number, index: number): string {
  return call.id ?? `call_${number}_${index}`;
}

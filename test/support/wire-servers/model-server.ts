import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import { isObject, type JsonObject } from "../../../src/base/json.ts";
import type { Protocol } from "../../../src/providers/endpoint.ts";
import { anthropicDialect } from "./anthropic.ts";
import { chatDialect } from "./chat.ts";
import { geminiDialect } from "./gemini.ts";
import { responsesDialect } from "./responses.ts";
import type { Dialect, Fault, RecordedRequest, ScriptedTurn, StreamedEvent } from "./turn.ts";

export type TurnOf = (request: RecordedRequest, number: number) => ScriptedTurn | Promise<ScriptedTurn>;

export interface ModelServerOptions {
  readonly protocol: Protocol;
  /** Played in order, one per request; a function answers all of them. After the last: status 500, "no more turns". */
  readonly turns: TurnOf | readonly (ScriptedTurn | TurnOf)[];
  /** The last turn answers all later requests. */
  readonly repeat?: boolean;
  /** The required key; any other key gets status 401. If undefined, no key is required. */
  readonly keys?: readonly string[];
  /** Answer to `GET …/models`. */
  readonly models?: JsonObject;
  /** Asked first, for other paths; undefined: as usual. */
  readonly route?: (request: RecordedRequest) => ScriptedTurn | undefined;
  /** `false`: requests are not kept (a bench with millions of them). */
  readonly record?: boolean;
}

export interface ModelServer extends AsyncDisposable {
  /** The path of an endpoint's base address. */
  readonly url: string;
  readonly port: number;
  /** Requests for model answers, in order. */
  readonly requests: readonly RecordedRequest[];
  /** All other requests, such as model lists. */
  readonly otherRequests: readonly RecordedRequest[];
  /** Connections that are open now. */
  openConnections(): Promise<number>;
}

/** A server on loopback that implements a protocol and answers from a script, at once unless a fault delays it. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const otherRequests: RecordedRequest[] = [];
  let number = 0;
  const server = createServer((message, response) => {
    response.on("error", () => {});
    answer(message, response).catch(() => response.destroy());
  });
  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message);
    const dialect = dialects[options.protocol];
    const routed = options.route?.(request);
    if (routed) {
      otherRequests.push(request);
      return play(response, routed, request, dialect, 0);
    }
    if (request.method !== "POST") {
      otherRequests.push(request);
      const listed = request.path.includes("/models") && options.models !== undefined;
      return sendJson(response, listed ? 200 : 404, listed ? (options.models ?? {}) : { error: "not found" });
    }
    const turnIndex = number++;
    if (options.record ?? true) requests.push(request);
    if (options.keys && !options.keys.includes(request.key ?? ""))
      return sendJson(response, 401, dialect.error({ message: "Incorrect API key provided", ...wrongKey }));
    const turn = await nextTurn(options, request, turnIndex);
    return play(response, turn, request, dialect, turnIndex);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${basePaths[options.protocol]}`,
    port,
    requests,
    otherRequests,
    openConnections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const dialects: Readonly<Record<Protocol, Dialect>> = {
  "openai-chat": chatDialect,
  "openai-responses": responsesDialect,
  "anthropic-messages": anthropicDialect,
  gemini: geminiDialect,
};

const basePaths: Readonly<Record<Protocol, string>> = {
  "openai-chat": "/v1",
  "openai-responses": "/v1",
  "anthropic-messages": "",
  gemini: "/v1beta",
};

const wrongKey = { type: "authentication_error", code: "invalid_api_key", status: 401 };

async function nextTurn(options: ModelServerOptions, request: RecordedRequest, number: number): Promise<ScriptedTurn> {
  const { turns, repeat = false } = options;
  if (typeof turns === "function") return turns(request, number);
  const turn = turns[number] ?? (repeat ? turns.at(-1) : undefined);
  if (turn === undefined) return { error: { status: 500, message: "no more turns", type: "server_error" } };
  return typeof turn === "function" ? turn(request, number) : turn;
}

async function play(
  response: ServerResponse,
  turn: ScriptedTurn,
  request: RecordedRequest,
  dialect: Dialect,
  number: number,
): Promise<void> {
  const { fault = {}, headers = {} } = turn;
  if (fault.delayMs) await sleep(fault.delayMs, undefined, { ref: false });
  if (fault.redirect) {
    response.writeHead(fault.redirect.status, { location: fault.redirect.to, ...headers }).end();
    return;
  }
  if (turn.raw) {
    const type = fault.contentType ?? "text/event-stream";
    return write(response, turn.raw.status ?? 200, { "content-type": type, ...headers }, turn.raw.body, fault);
  }
  if (turn.error) {
    const body = JSON.stringify(dialect.error(turn.error));
    const type = fault.contentType ?? "application/json";
    return write(response, turn.error.status ?? 400, { "content-type": type, ...headers }, body, fault);
  }
  if (fault.whole || !dialect.wantsStream(request)) {
    const type = fault.contentType ?? "application/json";
    const body = JSON.stringify(dialect.whole(turn, request, number));
    return write(response, 200, { "content-type": type, ...headers }, body, fault);
  }
  const type = fault.contentType ?? (fault.ndjson ? "application/x-ndjson" : "text/event-stream; charset=utf-8");
  const body = streamText(dialect.stream(turn, request, number), fault);
  return write(response, 200, { "content-type": type, "cache-control": "no-cache", ...headers }, body, fault);
}

function streamText(events: readonly StreamedEvent[], fault: Fault): string {
  const keepAlives = ": keep-alive\n\n".repeat(fault.keepAlives ?? 0);
  let body = fault.bom ? "\u{feff}" : "";
  for (const { event, data, end } of events) {
    if (end && fault.noEnd) continue;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    if (fault.ndjson) {
      if (text !== "[DONE]") body += `${text}\n`;
    } else body += `${keepAlives}${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
  }
  return fault.newline ? body.replaceAll("\n", fault.newline) : body;
}

async function write(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  fault: Fault,
): Promise<void> {
  const bytes = encoded(typeof body === "string" ? Buffer.from(body) : body, fault.encoding);
  response.writeHead(status, fault.encoding ? { ...headers, "content-encoding": fault.encoding } : headers);
  const { chunkBytes, dripMs, bodyDelayMs, disconnectAfter, endAfter, hangAfter } = fault;
  if (bodyDelayMs) {
    response.flushHeaders();
    await sleep(bodyDelayMs);
  }
  const until = Math.min(bytes.length, disconnectAfter ?? Infinity, endAfter ?? Infinity, hangAfter ?? Infinity);
  const step = chunkBytes ?? bytes.length;
  if (until === 0) response.flushHeaders();
  for (let offset = 0; offset < until && !response.destroyed; offset += step) {
    await new Promise((resolve) => response.write(bytes.subarray(offset, Math.min(until, offset + step)), resolve));
    // Otherwise several writes arrive as one piece.
    if (dripMs !== undefined) await sleep(dripMs);
    else if (chunkBytes !== undefined) await new Promise(setImmediate);
  }
  if (disconnectAfter !== undefined) response.destroy();
  else if (hangAfter === undefined) response.end();
}

function encoded(bytes: Buffer, encoding: Fault["encoding"]): Buffer {
  if (encoding === "gzip") return gzipSync(bytes);
  if (encoding === "br") return brotliCompressSync(bytes);
  return encoding === "deflate" ? deflateSync(bytes) : bytes;
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readRequest(message: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  // A request's body arrives as buffers.
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { method = "GET", url: path = "/", headers } = message;
  return { method, path, headers, body, json: readJson(body), key: keyOf(message), at: Date.now() };
}

function readJson(body: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(body.toString());
    // Parsed from JSON.
    return isObject(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

function keyOf({ headers, url = "" }: IncomingMessage): string | undefined {
  const named = headers["x-api-key"] ?? headers["api-key"] ?? headers["x-goog-api-key"];
  if (typeof named === "string") return named;
  const bearer = /^Bearer (.*)$/iu.exec(headers.authorization ?? "")?.[1];
  return bearer ?? new URL(url, "http://localhost").searchParams.get("key") ?? undefined;
}

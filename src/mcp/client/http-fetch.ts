import type { HttpResponse } from "../../base/http/exchange.ts";
import type { Http } from "../../base/http/http-client.ts";
import type { HttpFailure } from "../../base/http/http-failure.ts";
import { type HttpTimeouts, totalTimeout } from "../../base/http/http-timeouts.ts";
import { err, type Result } from "../../base/result.ts";
import type { McpFetch } from "../../contracts/mcp/authorize.ts";
import { TransportError } from "./fault.ts";

export interface McpFetchDeps {
  readonly http: Http;
  /** The server address in the settings. */
  readonly server: URL;
  /** Headers that are sent only to the server's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns why a request may not go to an address that the settings do not name; undefined if it may. */
  readonly addressFault: (url: URL, signal: AbortSignal) => Promise<string | undefined>;
  /** Called for every response from the server itself. */
  readonly onResponse: (request: { readonly method: string; readonly headers: Headers }, status: number) => void;
  /**
   * Called when an event stream ended, perhaps because of a fault. `isAnswer` is true if the stream was the response
   * to a message.
   */
  readonly onStreamEnd: (isAnswer: boolean, fault: TransportError | undefined) => void;
}

/**
 * The `fetch` for the library's transports and OAuth, with the proxies and certificates of the user. It returns
 * redirects, which the library follows only within the origin. Rejects with a `TransportError`.
 */
export function createMcpFetch(deps: McpFetchDeps): McpFetch {
  const { http, server, headers, addressFault, onResponse, onStreamEnd } = deps;
  return async (input, init) => {
    const url = new URL(input);
    const method = (init?.method ?? "GET").toUpperCase();
    const signal = init?.signal ?? new AbortController().signal;
    const own = new Headers(init?.headers);
    const isServer = url.origin === server.origin;
    if (!isServer) {
      const fault = await addressFault(url, signal);
      if (fault !== undefined) throw new TransportError("auth", fault, false);
    }
    const sent = await http.send(
      {
        method,
        url,
        headers: { "accept-encoding": "gzip, deflate, br", ...(isServer && headers), ...Object.fromEntries(own) },
        ...(init?.body !== undefined && init.body !== null && { body: bodyText(init.body) }),
        canRepeat: method !== "POST",
        redirects: "returned",
        maxBytes: Infinity,
      },
      isServer && url.pathname === server.pathname ? patient : totalTimeout(shortMs),
      signal,
    );
    if (!sent.ok) throw transportError(sent.error);
    if (isServer) onResponse({ method, headers: own }, sent.value.status);
    return await asResponse(sent.value, (fault) => isServer && onStreamEnd(method !== "GET", fault));
  };
}

/** No timeout here: protocol requests have their own, and a stream may be silent for days. */
const maxMs = 2 ** 31 - 1;
const patient: HttpTimeouts = { connectMs: 30_000, headMs: maxMs, stallMs: maxMs, contentMs: maxMs, totalMs: maxMs };
const shortMs = 30_000;

async function asResponse(response: HttpResponse, onStreamEnd: StreamEnd): Promise<Response> {
  const { status } = response;
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers))
    for (const each of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, each);
  headers.delete("content-encoding");
  headers.delete("content-length");
  if (status < 200 || status > 599) {
    response[Symbol.dispose]();
    throw new TransportError("malformed", `the server answered with the HTTP status ${status}`, true);
  }
  if (status === 204 || status === 205 || status === 304) {
    response.drain();
    response[Symbol.dispose]();
    return new Response(null, { status, headers });
  }
  const isStream = /^text\/event-stream\b/iu.test(headers.get("content-type") ?? "");
  if (isStream) return new Response(eventStream(response, onStreamEnd), { status, headers });
  const body = await readBounded(response);
  return new Response(body, { status, headers });
}

async function readBounded(response: HttpResponse): Promise<Buffer<ArrayBuffer>> {
  using _response = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await response.read();
    if (!chunk.ok) throw transportError(chunk.error);
    if (chunk.value === undefined) return Buffer.concat(chunks);
    bytes += chunk.value.length;
    if (bytes > maxFrameBytes) throw tooLong();
    chunks.push(chunk.value);
  }
}

/** A stream may be endless, but each of its events has a maximum size. */
function eventStream(response: HttpResponse, onEnd: StreamEnd): ReadableStream<Uint8Array> {
  let eventBytes = 0;
  const close = (fault?: TransportError): void => {
    response[Symbol.dispose]();
    onEnd(fault);
  };
  const read = async (): Promise<Result<Buffer | undefined, TransportError>> => {
    const chunk = await response.read();
    if (!chunk.ok) return err(transportError(chunk.error));
    if (chunk.value) eventBytes = bytesOfLastEvent(chunk.value, eventBytes);
    return eventBytes > maxFrameBytes ? err(tooLong()) : chunk;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await read();
        if (chunk.ok && chunk.value) return controller.enqueue(chunk.value);
        close(chunk.ok ? undefined : chunk.error);
        if (chunk.ok) controller.close();
        else controller.error(chunk.error);
      },
      cancel: () => close(),
    },
    { highWaterMark: 0 },
  );
}

type StreamEnd = (fault: TransportError | undefined) => void;

/**
 * Bytes since the last empty line. A line end that is split between two chunks may be missed, so the number may be
 * too large.
 */
function bytesOfLastEvent(chunk: Buffer, before: number): number {
  const end = Math.max(chunk.lastIndexOf("\n\n"), chunk.lastIndexOf("\n\r\n"), chunk.lastIndexOf("\r\r"));
  return end < 0 ? before + chunk.length : chunk.length - end;
}

const maxFrameBytes = 64 * 2 ** 20;

function tooLong(): TransportError {
  return new TransportError("malformed", `the server sent a message of more than ${maxFrameBytes >> 20} MB`, true);
}

function transportError({ kind, message, isSent = true }: HttpFailure): TransportError {
  return new TransportError(kind === "too_large" || kind === "malformed" ? "malformed" : "transport", message, isSent);
}

function bodyText(body: NonNullable<RequestInit["body"]>): string {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("request bodies of this kind are not supported");
}

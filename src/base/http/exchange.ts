import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";

import type { Clock } from "../clock.ts";
import { err, ok, reasonOf, type Result } from "../result.ts";
import { aborted, networkCodeOf, failureOf, type HttpFailure } from "./http-failure.ts";
import type { HttpTimeouts } from "./http-timeouts.ts";
import type { TunnelOptions } from "./tunnel-agent.ts";

/**
 * The headers of a response, and its body, which the caller pulls. Disposing closes the connection unless the body
 * has ended.
 */
export interface HttpResponse extends Disposable {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly url: URL;
  /** The next decompressed bytes, or undefined at the end. Time without a reader does not count as a stall. */
  read(): Promise<Result<Buffer | undefined, HttpFailure>>;
  /** Restarts the timeout for content. Call it if the last bytes had content. */
  noteContent(): void;
  /** Reads the rest of the body, but waits only briefly. */
  shortenWait(): void;
  /** Skips the rest of the body. If little is left, it is still read, so that the connection can be reused. */
  drain(): void;
}

export interface HttpExchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly canRepeat: boolean;
  /** If false, the request uses a separate connection. */
  readonly agent: Agent | false;
  readonly lookup?: LookupFunction;
  readonly timeouts: HttpTimeouts;
  readonly clock: Clock;
  /** The maximum bytes of the decompressed body. A longer body is a failure. */
  readonly maxBytes: number;
}

/** One request on one connection. Never rejects. After an abort, the socket is closed and `read` fails. */
export function exchange(what: HttpExchange, signal: AbortSignal): Promise<Result<HttpResponse, HttpFailure>> {
  const { url, timeouts, clock } = what;
  // The body is encoded once: Node would encode a long text for its length, for the headers and for the socket.
  const body = what.body === undefined ? undefined : Buffer.from(what.body);
  const head = Promise.withResolvers<Result<HttpResponse, HttpFailure>>();
  const cut = new AbortController();
  let request: ClientRequest | undefined;
  let failure: HttpFailure | undefined;
  let wake: (() => void) | undefined;
  let timer: Disposable | undefined;
  let hasResponse = false;
  let isConnected = false;

  const fail = (reason: HttpFailure): void => {
    if (failure) return;
    const why = isConnected ? reason : { ...reason, isSent: false };
    failure = why;
    letGo();
    cut.abort();
    request?.destroy();
    head.resolve(err(why));
    wake?.();
  };
  const stop = (): void => fail(aborted());
  const total = clock.after(timeouts.totalMs, () =>
    fail({ kind: "stalled", message: `${url.host} took longer than ${seconds(timeouts.totalMs)} for its response` }),
  );
  const letGo = (): void => {
    total[Symbol.dispose]();
    timer?.[Symbol.dispose]();
    signal.removeEventListener("abort", stop);
  };
  const within = (ms: number, why: () => HttpFailure): void => {
    timer?.[Symbol.dispose]();
    timer = clock.after(ms, () => fail(why()));
  };

  if (signal.aborted) stop();
  else {
    signal.addEventListener("abort", stop, { once: true });
    open();
  }
  return head.promise;

  function open(): void {
    within(timeouts.connectMs, () => ({
      kind: "network",
      message: `no connection to ${url.host} within ${seconds(timeouts.connectMs)}`,
    }));
    let sent: ClientRequest;
    try {
      sent = start(what, body, cut.signal);
    } catch (thrown) {
      return fail({ kind: "malformed", message: `the request to ${url.host} cannot be sent: ${reasonOf(thrown)}` });
    }
    request = sent;
    sent.once("socket", (socket) => {
      whenConnected(socket, url.protocol === "https:", () => {
        if (request !== sent || failure) return;
        isConnected = true;
        within(timeouts.headMs, () => ({
          kind: "stalled",
          message: `${url.host} did not respond within ${seconds(timeouts.headMs)}`,
        }));
      });
    });
    sent.once("response", (response) => {
      hasResponse = true;
      timer?.[Symbol.dispose]();
      head.resolve(ok(responseOf(response, sent)));
    });
    sent.on("error", (thrown) => {
      if (request !== sent || failure) return;
      // The server closed an idle connection while it was being reused, so the server has not seen the request.
      const isStale = sent.reusedSocket && ["ECONNRESET", "EPIPE"].includes(networkCodeOf(thrown)) && !hasResponse;
      if (isStale && what.canRepeat) return open();
      fail(failureOf(thrown, url));
    });
    sent.end(body);
  }

  function responseOf(response: IncomingMessage, sent: ClientRequest): HttpResponse {
    const stream = decompressed(response, (thrown) => fail(failureOf(thrown, url)));
    let hasBody = false;
    // The stream itself counts no bytes that it cannot decompress.
    if (stream !== response) response.once("data", () => (hasBody = true));
    const { contentMs } = timeouts;
    let { stallMs } = timeouts;
    let contentLeftMs = contentMs;
    let bytes = 0;
    let ended = false;
    let drained = false;
    const rouse = (): void => wake?.();
    stream.on("readable", rouse);
    stream.on("end", () => {
      ended = true;
      rouse();
    });
    stream.on("error", (thrown) => {
      // A response without a body cannot be corrupt, even if its headers declare compression.
      if (response.complete && stream !== response && !hasBody) ended = true;
      else fail(failureOf(thrown, url));
      rouse();
    });
    stream.on("close", () => {
      if (!ended) fail(failureOf({ code: "ECONNRESET" }, url));
    });
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      url,
      async read() {
        for (;;) {
          if (failure) return err(failure);
          // The cast is safe: a stream of bytes without an encoding yields buffers.
          const chunk = stream.read() as Buffer | null;
          if (chunk !== null) {
            bytes += chunk.length;
            if (bytes <= what.maxBytes) return ok(chunk);
            fail({ kind: "too_large", message: `${url.host} sent more than ${sizeText(what.maxBytes)}` });
          } else if (ended) return ok(undefined);
          else await more();
        }
      },
      noteContent() {
        contentLeftMs = contentMs;
      },
      shortenWait() {
        stallMs = Math.min(stallMs, shortWaitMs);
      },
      drain() {
        if (!failure && !ended && !response.complete) drain(stream, sent, clock);
        drained = true;
      },
      [Symbol.dispose]() {
        letGo();
        if (!ended && !drained) sent.destroy();
      },
    };

    async function more(): Promise<void> {
      const since = clock.elapsed();
      const silent = stallMs <= contentLeftMs;
      within(silent ? stallMs : contentLeftMs, () => ({
        kind: "stalled",
        message: silent
          ? `${url.host} sent nothing for ${seconds(stallMs)}`
          : `${url.host} sent only keep-alives for ${seconds(contentMs)}`,
      }));
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = undefined;
      timer?.[Symbol.dispose]();
      contentLeftMs -= clock.elapsed() - since;
    }
  }
}

function start(
  { url, method, headers, agent, lookup }: HttpExchange,
  body: Buffer | undefined,
  cut: AbortSignal,
): ClientRequest {
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const length = body === undefined ? {} : { "content-length": String(body.length) };
  const options: RequestOptions & TunnelOptions = {
    method,
    agent,
    cut,
    headers: { ...headers, ...length },
    ...(lookup && { lookup }),
  };
  return request(url, options);
}

interface ConnectingSocket {
  readonly connecting?: boolean;
  /** An internal flag of Node's TLS sockets: true until the handshake is done. */
  readonly secureConnecting?: boolean;
  once(event: "connect" | "secureConnect", run: () => void): unknown;
}

function whenConnected(socket: ConnectingSocket, secure: boolean, run: () => void): void {
  if (socket.connecting !== true && (!secure || socket.secureConnecting !== true)) run();
  else socket.once(secure ? "secureConnect" : "connect", run);
}

function decompressed(response: IncomingMessage, failed: (thrown: unknown) => void): Readable {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase();
  if (encoding === undefined || encoding === "identity" || encoding === "") return response;
  const zlib = process.getBuiltinModule("node:zlib");
  const makers: Readonly<Record<string, () => ReturnType<typeof zlib.createGunzip>>> = {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    zstd: () => zlib.createZstdDecompress(),
  };
  const make = makers[encoding];
  if (!make) return response;
  const plain = make();
  response.on("error", failed);
  response.on("close", () => {
    if (!response.complete) failed({ code: "ECONNRESET" });
  });
  return response.pipe(plain);
}

const shortWaitMs = 3000;

/** The maximum time in which a server may end a skipped body. */
const drainMs = 500;

function drain(stream: Readable, sent: ClientRequest, clock: Clock): void {
  const stop = (): void => void sent.destroy();
  const timer = clock.after(drainMs, stop);
  let bytes = 0;
  // The socket must not keep this process running.
  sent.socket?.unref();
  stream.removeAllListeners("readable");
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > 65_536) stop();
  });
  stream.on("close", () => timer[Symbol.dispose]());
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}

function sizeText(bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes} bytes` : `${bytes >> 20} MB`;
}

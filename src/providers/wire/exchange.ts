import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";

import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { WireTimeouts } from "../endpoint.ts";
import { aborted, codeOf, failureOf, type HttpFailure } from "./http-failure.ts";
import type { Tunnelled } from "./tunnel-agent.ts";

/** The head of an answer, and its body to be pulled. Disposing cuts the connection unless the body has ended. */
export interface HttpAnswer extends Disposable {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly url: URL;
  /** The next bytes, or undefined at the end. Time in which nobody pulls does not count as a stall. */
  next(): Promise<Result<Buffer | undefined, HttpFailure>>;
  /** What was pulled last said something: the wait for content starts anew. */
  heard(): void;
  /** What is still to come is not worth a long wait. */
  hurry(): void;
  /** Nothing of interest follows: what is left is read aside for a moment, so that the connection can be used again. */
  drain(): void;
}

export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  readonly agent: Agent;
  readonly timeouts: WireTimeouts;
  readonly clock: Clock;
  /** The answer stays well below this, or it is refused. */
  readonly maxBytes: number;
}

/** One request on one connection. Never rejects. Once the signal is aborted the socket is gone and `next` says so. */
export function exchange(what: Exchange, signal: AbortSignal): Promise<Result<HttpAnswer, HttpFailure>> {
  const { url, timeouts, clock } = what;
  // Encoded once: a long text would be gone through for its length, for the head before it and for the socket.
  const body = typeof what.body === "string" ? Buffer.from(what.body) : what.body;
  const head = Promise.withResolvers<Result<HttpAnswer, HttpFailure>>();
  const cut = new AbortController();
  let request: ClientRequest | undefined;
  let failure: HttpFailure | undefined;
  let wake: (() => void) | undefined;
  let timer: Disposable | undefined;
  let answered = false;

  const fail = (why: HttpFailure): void => {
    if (failure) return;
    failure = why;
    letGo();
    cut.abort();
    request?.destroy();
    head.resolve(err(why));
    wake?.();
  };
  const stop = (): void => fail(aborted());
  const total = clock.after(timeouts.totalMs, () =>
    fail({ kind: "stalled", message: `${url.host} took longer than ${seconds(timeouts.totalMs)} for its answer` }),
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
    const sent = start(what, body, cut.signal);
    request = sent;
    sent.once("socket", (socket) => {
      whenConnected(socket, url.protocol === "https:", () => {
        if (request !== sent || failure) return;
        within(timeouts.headMs, () => ({
          kind: "stalled",
          message: `${url.host} did not begin to answer within ${seconds(timeouts.headMs)}`,
        }));
      });
    });
    sent.once("response", (response) => {
      answered = true;
      timer?.[Symbol.dispose]();
      head.resolve(ok(answerOf(response, sent)));
    });
    sent.on("error", (thrown) => {
      if (request !== sent || failure) return;
      // The server closed a connection that was kept open, in the moment it was used again: nothing was answered.
      if (sent.reusedSocket && ["ECONNRESET", "EPIPE"].includes(codeOf(thrown)) && !answered) return open();
      fail(failureOf(thrown, url));
    });
    sent.end(body);
  }

  function answerOf(response: IncomingMessage, sent: ClientRequest): HttpAnswer {
    const stream = decoded(response, (thrown) => fail(failureOf(thrown, url)));
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
    stream.on("error", (thrown) => fail(failureOf(thrown, url)));
    stream.on("close", () => {
      if (!ended) fail(failureOf({ code: "ECONNRESET" }, url));
    });
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      url,
      async next() {
        for (;;) {
          if (failure) return err(failure);
          // Without an encoding a stream of bytes gives buffers.
          const chunk = stream.read() as Buffer | null;
          if (chunk !== null) {
            bytes += chunk.length;
            if (bytes <= what.maxBytes) return ok(chunk);
            fail({ kind: "too_large", message: `${url.host} sent more than ${what.maxBytes >> 20} MB` });
          } else if (ended) return ok(undefined);
          else await more();
        }
      },
      heard() {
        contentLeftMs = contentMs;
      },
      hurry() {
        stallMs = Math.min(stallMs, hurryMs);
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

function start({ url, method, headers, agent }: Exchange, body: Buffer | undefined, cut: AbortSignal): ClientRequest {
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const length = body === undefined ? {} : { "content-length": String(body.length) };
  const options: RequestOptions & Tunnelled = { method, agent, cut, headers: { ...headers, ...length } };
  return request(url, options);
}

interface ConnectingSocket {
  readonly connecting?: boolean;
  /** Node's own, on TLS sockets: true until the handshake is done. */
  readonly secureConnecting?: boolean;
  once(event: "connect" | "secureConnect", run: () => void): unknown;
}

function whenConnected(socket: ConnectingSocket, secure: boolean, run: () => void): void {
  if (socket.connecting !== true && (!secure || socket.secureConnecting !== true)) run();
  else socket.once(secure ? "secureConnect" : "connect", run);
}

function decoded(response: IncomingMessage, failed: (thrown: unknown) => void): Readable {
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

const hurryMs = 3000;

/** How long a server may take to end a body whose end mark was read. */
const drainMs = 500;

function drain(stream: Readable, sent: ClientRequest, clock: Clock): void {
  const give = (): void => void sent.destroy();
  const timer = clock.after(drainMs, give);
  let bytes = 0;
  // Worth a moment, but not keeping the process.
  sent.socket?.unref();
  stream.removeAllListeners("readable");
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > 65_536) give();
  });
  stream.on("close", () => timer[Symbol.dispose]());
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}

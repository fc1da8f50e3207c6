import type { IncomingMessage, ServerResponse } from "node:http";

import { linkAbort } from "../async/abort.ts";
import { waitFor } from "../async/bounded-wait.ts";
import type { Clock } from "../clock.ts";
import { err, ok, reasonOf, type Result } from "../result.ts";

/** An HTTP server on this machine. Disposing stops it: open requests get a grace period, then they are closed. */
export interface HttpServer extends AsyncDisposable {
  readonly port: number;
}

export interface ServedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Aborted when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  /** Reads the whole body. `too_large` means that it exceeds the limit of the server. */
  body(): Promise<Result<Buffer, "too_large" | "incomplete">>;
}

export interface ServedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. An iterable is sent chunk by chunk, as fast as the client reads. */
  readonly body?: string | Uint8Array | AsyncIterable<string>;
}

export interface ServedRoute {
  readonly method: string;
  readonly path: string;
  handle(request: ServedRequest): Promise<ServedResponse>;
}

export interface HttpServerOptions {
  readonly routes: readonly ServedRoute[];
  readonly clock: Clock;
  /** The port. Default: any free port. */
  readonly port?: number;
  /** The address to listen on. Default: the loopback interface. */
  readonly host?: string;
  /** Whether requests to this name are for this server. Default: only names of the loopback interface. */
  readonly isOwnName?: (hostname: string) => boolean;
  readonly maxBodyBytes?: number;
  /** How long a client may leave a streamed response unread. */
  readonly writeTimeoutMs?: number;
}

/** Listens on the loopback interface, or on the given address, and accepts only requests addressed to it. */
export async function startHttpServer(options: HttpServerOptions): Promise<Result<HttpServer, string>> {
  const { routes, clock, port = 0, host = "127.0.0.1", isOwnName = isLoopbackName } = options;
  const { createServer } = process.getBuiltinModule("node:http");
  const stopping = new AbortController();
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 60_000 },
    (request, response) => void serve(request, response),
  );

  /** Handles one request. Never rejects. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    using open = linkAbort(stopping.signal);
    response.once("close", () => {
      open.abort();
      if (stopping.signal.aborted) server.closeIdleConnections();
    });
    try {
      const { status, headers, body = "" } = await respond(request, open.signal);
      // Closes the connection, because unread bytes of a body would be parsed as the next request.
      const isLast = stopping.signal.aborted || !request.complete;
      response.writeHead(status, { ...headers, ...(isLast && { connection: "close" }) });
      if (typeof body === "string" || body instanceof Uint8Array) response.end(body);
      else await stream(body, response, open.signal);
    } catch (thrown) {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { connection: "close" }).end(`${reasonOf(thrown)}\n`);
    }
  }

  async function respond(request: IncomingMessage, signal: AbortSignal): Promise<ServedResponse> {
    const { method = "", headers } = request;
    const url = URL.parse(`http://${headers.host}${request.url}`);
    // Checks the host name, because another site can resolve its own name to this machine (DNS rebinding).
    if (!url || !isOwnName(url.hostname)) return plain(403, "This server answers only requests from this machine.");
    const routesHere = routes.filter(({ path }) => path === url.pathname);
    const route = routesHere.find((one) => one.method === method);
    if (!route)
      return routesHere.length === 0 ? plain(404, "Not found.") : plain(405, `There is no such path for ${method}.`);
    const maxBytes = options.maxBodyBytes ?? defaultMaxBodyBytes;
    return route.handle({ method, url, headers, signal, body: () => readRequest(request, maxBytes) });
  }

  async function stream(body: AsyncIterable<string>, response: ServerResponse, signal: AbortSignal): Promise<void> {
    for await (const piece of body) {
      if (signal.aborted) break;
      if (response.write(piece)) continue;
      const drained = Promise.withResolvers<void>();
      response.once("drain", drained.resolve);
      const waited = await waitFor(drained.promise, { signal, ms: options.writeTimeoutMs ?? 30_000, clock });
      response.off("drain", drained.resolve);
      if (waited.how === "timeout") return void response.destroy();
    }
    response.end();
  }

  const listening = await new Promise<Result<void, string>>((resolve) => {
    server.once("error", (thrown) => resolve(err(`port ${port} cannot be used: ${thrown.message}`)));
    server.listen(port, host, () => resolve(ok(undefined)));
  });
  if (!listening.ok) return listening;
  const address = server.address();
  return ok({
    port: typeof address === "object" && address !== null ? address.port : port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      stopping.abort();
      await waitFor(closed, { ms: graceMs, clock });
      server.closeAllConnections();
    },
  });
}

/** A stream of server-sent events. `data` must be one line, such as JSON. */
export function eventStream(events: AsyncIterable<{ readonly event?: string; readonly data: string }>): ServedResponse {
  async function* lines() {
    for await (const { event, data } of events)
      yield `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
  }
  return {
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    body: lines(),
  };
}

function plain(status: number, text: string): ServedResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

function readRequest(request: IncomingMessage, maxBytes: number): Promise<Result<Buffer, "too_large" | "incomplete">> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return void chunks.push(chunk);
      request.pause();
      resolve(err("too_large"));
    });
    request.once("end", () => resolve(ok(Buffer.concat(chunks))));
    request.once("close", () => resolve(err("incomplete")));
  });
}

export function isLoopbackName(hostname: string): boolean {
  return ownNames.has(hostname);
}

const ownNames: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
const defaultMaxBodyBytes = 2 ** 20;
const graceMs = 500;

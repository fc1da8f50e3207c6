import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";

import type { Clock } from "../../base/clock.ts";
import {
  type HttpServer,
  isLoopbackName,
  type ServedRequest,
  type ServedResponse,
  startHttpServer,
} from "../../base/http/http-server.ts";
import { reasonOf, type Result } from "../../base/result.ts";
import { createClientServer } from "./create-server.ts";
import { createHttpSessions } from "./http-sessions.ts";
import type { Announce, OpenClient, ServedClient } from "./served-client.ts";

export interface ServeHttpOptions {
  /** The port. Default: any free port. */
  readonly port?: number;
  /** The address to listen on. Default: the loopback interface. */
  readonly host?: string;
  /** Names of this machine that are accepted, in addition to the address on which the server listens. */
  readonly names: readonly string[];
  /** The token that every request must contain. */
  readonly token: string;
  readonly clock: Clock;
  /** Receives protocol errors, for the log. */
  report(message: string): void;
}

/** Serves any number of clients over Streamable HTTP at `/mcp`, until the server is disposed. */
export async function serveOverHttp(options: ServeHttpOptions, open: OpenClient): Promise<Result<HttpServer, string>> {
  const { clock, token, report } = options;
  const library = await import("@modelcontextprotocol/server");
  const sessions = createHttpSessions(library, open, { clock, report });
  /** Requests without a session id name their client; all requests with the same client name share a session. */
  const named = new Map<string, ServedClient>();
  const shared: OpenClient = (client) => {
    const shares = named.get(client.name) ?? open(client, announce);
    // The client that was used last is the last one of the map.
    named.delete(client.name);
    named.set(client.name, shares);
    const [oldest] = named.size > maxNamedClients ? named : [];
    if (oldest) end(...oldest);
    return { ...shares, async [Symbol.asyncDispose]() {} };
  };
  const ending = new Set<Promise<void>>();
  function end(name: string, client: ServedClient): void {
    named.delete(name);
    const ended = Promise.resolve(client[Symbol.asyncDispose]())
      .catch((thrown: unknown) => report(reasonOf(thrown)))
      .finally(() => ending.delete(ended));
    ending.add(ended);
  }
  const bus = new library.InMemoryServerEventBus();
  const modern = library.createMcpHandler(() => createClientServer(library, shared).server, {
    legacy: "reject",
    bus,
    onerror: (error) => report(reasonOf(error)),
  });
  const announce: Announce = {
    tools: () => modern.notify.toolsChanged(),
    prompts: () => modern.notify.promptsChanged(),
    resources: () => modern.notify.resourcesChanged(),
    hasListener: () => bus.listenerCount > 0,
  };
  const isOwnName = ownNames(options);

  async function handle(request: ServedRequest): Promise<ServedResponse> {
    if (!isToken(request.headers["authorization"], token)) return unauthorized;
    const { origin } = request.headers;
    if (typeof origin === "string" && !isOwnName(URL.parse(origin)?.hostname ?? "")) return foreignOrigin;
    const body = request.method === "POST" ? await request.body() : undefined;
    if (body?.ok === false) return { status: body.error === "too_large" ? 413 : 400 };
    const received = new Request(request.url, {
      method: request.method,
      headers: plainHeaders(request.headers),
      signal: request.signal,
      ...(body && { body: new Uint8Array(body.value) }),
    });
    const isLegacy = request.method !== "POST" || (await library.isLegacyRequest(received.clone()));
    return asServed(await (isLegacy ? sessions.handle(received) : modern.fetch(received)), request.signal);
  }

  const started = await startHttpServer({
    routes: ["POST", "GET", "DELETE"].map((method) => ({ method, path: "/mcp", handle })),
    clock,
    isOwnName,
    maxBodyBytes: maxRequestBytes,
    ...(options.port !== undefined && { port: options.port }),
    ...(options.host !== undefined && { host: options.host }),
  });
  if (!started.ok) return started;
  const { port } = started.value;
  return {
    ok: true,
    value: {
      port,
      async [Symbol.asyncDispose]() {
        await Promise.all([sessions[Symbol.asyncDispose](), modern.close()]);
        await started.value[Symbol.asyncDispose]();
        for (const [name, client] of named) end(name, client);
        await Promise.all(ending);
      },
    },
  };
}

/** The limit for a request body is high, because a call may write a large file. */
const maxRequestBytes = 16 * 2 ** 20;

/** Each has a session, and any request can name a new client. */
const maxNamedClients = 64;

const unauthorized: ServedResponse = { status: 401, headers: { "www-authenticate": "Bearer" } };
const foreignOrigin: ServedResponse = { status: 403, body: "Another origin.\n" };

/**
 * A page of another site can resolve its own name to this machine (DNS rebinding), so only configured names are
 * accepted. An IP address cannot be rebound; it is accepted if the server listens on more than the loopback
 * interface.
 */
function ownNames({ host = "127.0.0.1", names }: ServeHttpOptions): (hostname: string) => boolean {
  const isOpen = !isLoopbackName(host) && host !== "::1";
  return (hostname) =>
    isLoopbackName(hostname) ||
    names.includes(hostname) ||
    (isOpen && (hostname === host || isIP(hostname.replaceAll(/^\[|\]$/gu, "")) > 0));
}

function isToken(header: string | string[] | undefined, token: string): boolean {
  const sent = typeof header === "string" ? (/^Bearer +(\S+)$/iu.exec(header)?.[1] ?? "") : "";
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(token));
}

function plainHeaders(headers: ServedRequest["headers"]): Headers {
  const plain = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === "string" && name !== "authorization") plain.set(name, value);
  return plain;
}

function asServed({ status, headers, body }: Response, signal: AbortSignal): ServedResponse {
  return { status, headers: Object.fromEntries(headers), ...(body && { body: pieces(body, signal) }) };
}

/** Streams the body of a response until the client disconnects. */
async function* pieces(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncIterable<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      yield decoder.decode(read.value, { stream: true });
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

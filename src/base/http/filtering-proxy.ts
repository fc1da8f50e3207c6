import type { LookupAddress } from "node:dns";
import type { ClientRequest, IncomingMessage, RequestOptions, ServerResponse } from "node:http";
import type { LookupFunction, Server, Socket } from "node:net";
import type { Duplex } from "node:stream";

import { once } from "../async/once.ts";
import { reasonOf } from "../result.ts";
import { openTunnel, proxyAccess } from "./tunnel-agent.ts";

export interface FilteringProxyRules<Client = undefined> {
  /** Identifies the sender of a request. If it returns undefined, the proxy asks for credentials. */
  readonly clientOf: (authorization: string | undefined) => { readonly client: Client } | undefined;
  /** Resolves the host name and decides. The proxy connects only to the addresses in the verdict. */
  readonly judge: (target: ProxyTarget, client: Client) => Promise<ProxyVerdict>;
  /** The maximum number of open sockets: two for each connection. */
  readonly maxSockets: number;
}

export interface ProxyTarget {
  /** In a tunnel, the path is unknown and the protocol is https. */
  readonly url: URL;
  readonly isTunnel: boolean;
  /** The host without brackets. */
  readonly host: string;
  readonly port: number;
}

export type ProxyVerdict =
  | { readonly ok: true; readonly addresses: readonly LookupAddress[]; readonly upstream?: UpstreamProxy }
  /** `text`: for the client; it begins with the target. */
  | { readonly ok: false; readonly status: string; readonly text: string };

/** Another proxy through which the target is reached. */
export interface UpstreamProxy {
  readonly url: URL;
  /**
   * Whether the other proxy gets the name of the target. If false, it gets the first address, so that it cannot
   * resolve the name differently.
   */
  readonly isByName: boolean;
  /** Called when the connection failed. */
  readonly onFault: (reason: string) => void;
}

export interface FilteringProxy extends Disposable {
  /** Listens on a path of a Unix socket, or on the loopback interface. Resolves with the port; 0 for a path. */
  listen(place: string | { readonly host: string }): Promise<number>;
  /** Also handles the connections of a server that is already listening. */
  serve(server: Server): void;
}

/**
 * An HTTP proxy that connects only to addresses that its rules allow. The proxy resolves names itself and connects to
 * the address that was checked. Node's HTTP module is loaded at the first connection.
 */
export function createFilteringProxy<Client>(rules: FilteringProxyRules<Client>): FilteringProxy {
  const { createServer } = process.getBuiltinModule("node:net");
  const sockets = new Set<Duplex>();
  const http = once(() => serveHttp(rules, keep));

  function keep(socket: Duplex): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  }

  const servers = new DisposableStack();

  function serve(server: Server): void {
    server.on("connection", (socket: Socket) => {
      if (sockets.size >= rules.maxSockets) return void socket.destroy();
      keep(socket);
      socket.unref();
      http().emit("connection", socket);
    });
    server.on("error", () => {});
    server.unref();
    if (servers.disposed) server.close();
    else servers.defer(() => void server.close());
  }

  return {
    async listen(place) {
      const server = createServer();
      serve(server);
      const options = typeof place === "string" ? { path: place } : { host: place.host, port: 0 };
      await new Promise<void>((resolve, reject) => void server.once("error", reject).listen(options, resolve));
      const address = server.address();
      return typeof address === "object" && address ? address.port : 0;
    },
    serve,
    [Symbol.dispose]() {
      servers.dispose();
      for (const socket of sockets) socket.destroy();
    },
  };
}

type Keep = (socket: Duplex) => void;

function serveHttp<Client>(rules: FilteringProxyRules<Client>, keep: Keep): Server {
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer((request, response) => void forward(request, response, rules, keep));
  server.on("connect", (request: IncomingMessage, client: Duplex, first: Buffer) => {
    void tunnel(request, client, first, rules, keep);
  });
  // The cast is safe: Node's types do not show that the socket is one.
  return server;
}

const asks = "407 Proxy Authentication Required";
const stranger = { status: asks, text: "This proxy requires its own credentials.\n" };

async function tunnel<Client>(
  { url: authority = "", headers }: IncomingMessage,
  client: Duplex,
  first: Buffer,
  rules: FilteringProxyRules<Client>,
  keep: Keep,
): Promise<void> {
  const url = URL.parse(`https://${authority}`);
  const answer = (status: string, text: string) => {
    const challenge = status === asks ? `${challengeName}: ${challengeText}\r\n` : "";
    const length = Buffer.byteLength(text);
    client.end(`HTTP/1.1 ${status}\r\n${challenge}Content-Length: ${length}\r\nConnection: close\r\n\r\n${text}`);
  };
  const sender = rules.clientOf(headers["proxy-authorization"]);
  if (!sender) return answer(stranger.status, stranger.text);
  if (!url) return answer("400 Bad Request", "The target is not a host and a port.");
  const target = { ...endOf(url, 443), url, isTunnel: true };
  const judged = await rules.judge(target, sender.client);
  if (!judged.ok) return answer(judged.status, judged.text);
  const refuse = (thrown: Error) => answer("502 Bad Gateway", thrown.message);
  const join = (upstream: Socket) => {
    upstream.on("timeout", () => upstream.destroy());
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    upstream.write(first);
    client.pipe(upstream).pipe(client);
  };
  if (judged.upstream) {
    const left = new AbortController();
    const leave = () => left.abort();
    client.once("close", leave);
    return openUpstream(target, judged.addresses, judged.upstream, left.signal, (failed, socket) => {
      client.off("close", leave);
      if (!socket) return refuse(failed ?? new Error("no connection"));
      socket.setTimeout(idleMs);
      socket.unref();
      keep(socket);
      join(socket);
    });
  }
  const { connect } = process.getBuiltinModule("node:net");
  const upstream = connect({ ...pinned(target, judged.addresses), timeout: idleMs });
  upstream.unref();
  keep(upstream);
  upstream.once("error", refuse);
  client.once("close", () => upstream.destroy());
  upstream.once("connect", () => {
    upstream.off("error", refuse);
    join(upstream);
  });
}

/** Opens a tunnel through the other proxy to the target. */
function openUpstream(
  { host, port }: ProxyTarget,
  addresses: readonly LookupAddress[],
  { url, isByName, onFault }: UpstreamProxy,
  signal: AbortSignal,
  opened: (failed: Error | undefined, socket?: Socket) => void,
): void {
  const name = isByName ? host : (addresses[0]?.address ?? host);
  openTunnel(url, `${name.includes(":") ? `[${name}]` : name}:${port}`, signal, (failed, socket) => {
    if (failed && !signal.aborted) onFault(failed.message);
    opened(failed, socket);
  });
}

async function forward<Client>(
  incoming: IncomingMessage,
  response: ServerResponse,
  rules: FilteringProxyRules<Client>,
  keep: Keep,
): Promise<void> {
  const answer = (status: string, text: string) => {
    if (response.headersSent) return void response.destroy();
    const challenge = status === asks ? { [challengeName]: challengeText } : { connection: "close" };
    const headers = { "content-type": "text/plain; charset=utf-8", ...challenge };
    response.writeHead(Number.parseInt(status, 10), headers).end(text);
  };
  const sender = rules.clientOf(incoming.headers["proxy-authorization"]);
  if (!sender) return answer(stranger.status, stranger.text);
  const url = URL.parse(incoming.url ?? "");
  if (url?.protocol !== "http:") return answer("400", "This proxy accepts http:// addresses and CONNECT.");
  const target = { ...endOf(url, 80), url, isTunnel: false };
  const judged = await rules.judge(target, sender.client);
  if (!judged.ok) return answer(judged.status, judged.text);
  // Sends the request to the host that was checked, whatever its Host header names.
  const headers = { ...ownHeaders(incoming), host: url.host };
  const { method = "GET" } = incoming;
  const path = `${url.pathname}${url.search}`;
  const { upstream: other, addresses } = judged;
  const left = new AbortController();
  response.on("close", () => left.abort());
  const basics = { method, path, headers, agent: false, timeout: idleMs } as const;
  const { request } = process.getBuiltinModule("node:http");
  const outgoing = other
    ? requestUpstream(target, addresses, other, basics, left.signal)
    : request({ ...basics, ...pinned(target, addresses) });
  outgoing.on("socket", (socket) => {
    keep(socket);
    socket.unref();
  });
  outgoing.on("timeout", () => outgoing.destroy(new Error("the server does not answer")));
  outgoing.on("error", (thrown) => answer("502", reasonOf(thrown)));
  outgoing.on("response", (upstream) => {
    response.writeHead(upstream.statusCode ?? 502, ownHeaders(upstream));
    upstream.on("error", () => response.destroy());
    upstream.pipe(response);
  });
  response.on("close", () => outgoing.destroy());
  incoming.on("error", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** A plain request with a host name is passed to the other proxy unchanged; a request to an address needs a tunnel. */
function requestUpstream(
  target: ProxyTarget,
  addresses: readonly LookupAddress[],
  upstream: UpstreamProxy,
  basics: Pick<RequestOptions, "method" | "path" | "timeout"> & { readonly headers: Record<string, string | string[]> },
  signal: AbortSignal,
): ClientRequest {
  if (upstream.isByName) {
    const { request, host, port, headers } = proxyAccess(upstream.url);
    const { href: path } = target.url;
    const outgoing = request({ ...basics, agent: false, host, port, path, headers: { ...basics.headers, ...headers } });
    outgoing.once("error", (thrown) => {
      if (!signal.aborted) upstream.onFault(`the proxy cannot be reached: ${reasonOf(thrown)}`);
    });
    return outgoing;
  }
  const createConnection: RequestOptions["createConnection"] = (_options, connected) => {
    openUpstream(target, addresses, upstream, signal, (failed, socket) =>
      // The cast is needed because Node's types cannot express an error without a socket.
      connected(failed ?? null, socket as Socket),
    );
    return undefined;
  };
  const { request } = process.getBuiltinModule("node:http");
  // No agent is used, because an agent would ignore the given connection.
  return request({ ...basics, agent: undefined, host: target.host, port: target.port, createConnection });
}

function endOf(url: URL, defaultPort: number): { readonly host: string; readonly port: number } {
  return { host: url.hostname.replaceAll(/^\[|\]$/gu, ""), port: Number(url.port || defaultPort) };
}

/** Connects to one of these addresses, even if the name resolves to another address by now. */
function pinned({ host, port }: ProxyTarget, addresses: readonly LookupAddress[]) {
  const [first] = addresses;
  if (addresses.length === 1 && first) return { host: first.address, port };
  const lookup: LookupFunction = (_host, options, done) =>
    options.all ? done(null, [...addresses]) : done(null, first?.address ?? "", first?.family);
  return { host, port, lookup, autoSelectFamily: true };
}

/** Returns the headers that are not about this connection. */
function ownHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  const named = (headers.connection ?? "").toLowerCase().split(/\s*,\s*/u);
  const dropped = new Set([...hopHeaders, ...named]);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || dropped.has(name) ? [] : [[name, value]],
    ),
  );
}

const challengeName = "Proxy-Authenticate";
const challengeText = 'Basic realm="Hermes"';

const hopHeaders: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

const idleMs = 300_000;

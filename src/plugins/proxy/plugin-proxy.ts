import type { LookupAddress } from "node:dns";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";

import { once } from "../../base/async/once.ts";
import { reasonOf } from "../../base/result.ts";
import { type HostRule, hostRule } from "../permissions.ts";

export interface PluginProxyRules {
  /** The permission `net`. */
  readonly net: readonly string[];
  readonly onRefused: (target: string) => void;
  /** Why an address is not public. */
  readonly addressFault: (address: string) => { readonly isMetadata: boolean } | undefined;
  /** All addresses of a name. Rejects if it has none. */
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
}

export interface PluginProxy extends Disposable {
  listen(path: string): Promise<void>;
  /** Also takes the connections of a server that listens already. */
  serve(server: Server): void;
}

/**
 * An HTTP proxy on a Unix socket that reaches only the hosts of a permission. It resolves names itself and connects to
 * the address that it judged. HTTP loads with the first connection.
 */
export function createPluginProxy(rules: PluginProxyRules): PluginProxy {
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
      if (sockets.size >= maxSockets) return void socket.destroy();
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
    async listen(path) {
      const server = createServer();
      serve(server);
      await new Promise<void>((resolve, reject) => void server.once("error", reject).listen(path, resolve));
    },
    serve,
    [Symbol.dispose]() {
      servers.dispose();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Two for each connection. */
const maxSockets = 256;

function serveHttp(rules: PluginProxyRules, keep: (socket: Duplex) => void): Server {
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer((request, response) => void forward(request, response, rules, keep));
  server.on("connect", (request: IncomingMessage, client: Duplex, first: Buffer) => {
    void tunnel(request.url ?? "", client, first, rules, keep);
  });
  // Node's types hide that it is one.
  return server;
}

async function tunnel(
  authority: string,
  client: Duplex,
  first: Buffer,
  rules: PluginProxyRules,
  keep: (socket: Duplex) => void,
): Promise<void> {
  const url = URL.parse(`https://${authority}`);
  const answer = (status: string, text: string) =>
    void client.end(
      `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
  if (!url) return answer("400 Bad Request", "This is not a host and a port.");
  const judged = await judge(url, 443, rules);
  if (!judged.ok) return answer(judged.status, judged.text);
  const { connect } = process.getBuiltinModule("node:net");
  const upstream = connect({ ...judged.target, timeout: idleMs });
  upstream.unref();
  keep(upstream);
  const refuse = (thrown: Error) => answer("502 Bad Gateway", thrown.message);
  upstream.once("error", refuse);
  upstream.on("timeout", () => upstream.destroy());
  client.once("close", () => upstream.destroy());
  upstream.once("close", () => client.destroy());
  upstream.once("connect", () => {
    upstream.off("error", refuse);
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    upstream.write(first);
    client.pipe(upstream).pipe(client);
  });
}

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  rules: PluginProxyRules,
  keep: (socket: Duplex) => void,
): Promise<void> {
  const answer = (status: string, text: string) => {
    if (response.headersSent) return void response.destroy();
    response.writeHead(Number.parseInt(status, 10), { "content-type": "text/plain", connection: "close" }).end(text);
  };
  const url = URL.parse(incoming.url ?? "");
  if (url?.protocol !== "http:") return answer("400", "This proxy takes http:// addresses and CONNECT.");
  const judged = await judge(url, 80, rules);
  if (!judged.ok) return answer(judged.status, judged.text);
  const { request } = process.getBuiltinModule("node:http");
  // The host that was judged, whatever the header names.
  const headers = { ...ownHeaders(incoming), host: url.host };
  const { method = "GET" } = incoming;
  const path = `${url.pathname}${url.search}`;
  const outgoing = request({ ...judged.target, method, path, headers, agent: false, timeout: idleMs });
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

type Judged =
  | { readonly ok: true; readonly target: { readonly host: string; readonly port: number } }
  | { readonly ok: false; readonly status: string; readonly text: string };

async function judge(url: URL, defaultPort: number, rules: PluginProxyRules): Promise<Judged> {
  const host = url.hostname.replaceAll(/^\[|\]$/gu, "");
  const port = Number(url.port || defaultPort);
  const target = port === 80 || port === 443 ? url.hostname : `${url.hostname}:${port}`;
  const refused = (why: string): Judged => {
    rules.onRefused(target);
    return { ok: false, status: "403 Forbidden", text: `Hermes refused ${target}: ${why}` };
  };
  const rule = hostRule(rules.net, host, port);
  if (!rule.isAllowed) return refused("there is no permission for it.");
  let addresses: readonly LookupAddress[];
  try {
    addresses = await rules.resolve(host);
  } catch (thrown) {
    return { ok: false, status: "502 Bad Gateway", text: `${host}: ${reasonOf(thrown)}` };
  }
  const allowed = addresses.find(({ address }) => isAllowed(address, rule, rules));
  if (!allowed) return refused("its address is not public, and the permission does not name it.");
  return { ok: true, target: { host: allowed.address, port } };
}

function isAllowed(address: string, { allowsPrivate }: HostRule, { addressFault }: PluginProxyRules): boolean {
  const fault = addressFault(address);
  return fault === undefined || (allowsPrivate && !fault.isMetadata);
}

/** The headers that are not about this connection. */
function ownHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  const named = (headers.connection ?? "").toLowerCase().split(/\s*,\s*/u);
  const dropped = new Set([...hopHeaders, ...named]);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || dropped.has(name) ? [] : [[name, value]],
    ),
  );
}

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

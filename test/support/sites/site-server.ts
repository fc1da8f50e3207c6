import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

/** One request that a site received. */
export interface SiteRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly cookies: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
  /** Fields of a posted form; of JSON its top-level texts. */
  readonly fields: URLSearchParams;
  readonly body: Buffer;
  /** Site folder of another origin: `http://HOST:PORT`. */
  readonly otherOrigin: string;
  readonly response: ServerResponse;
}

export interface SiteAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

/** Undefined if the site responds through `request.response`, or never. */
export type SitePage = (request: SiteRequest) => SiteAnswer | undefined;

/** Pages by `METHOD /path`; a path that ends in `/*` serves everything below it. */
export type SitePages = Readonly<Record<string, SitePage>>;

export interface SiteServer extends AsyncDisposable {
  readonly port: number;
  /** `METHOD /path` of every request, in order, and with `listsConnections` every connection. */
  readonly requests: readonly string[];
}

export async function startSiteServer(
  pages: SitePages,
  {
    address,
    port = 0,
    otherOrigin,
    listsConnections = false,
  }: { address: string; port?: number; otherOrigin: () => string; listsConnections?: boolean },
): Promise<SiteServer> {
  const requests: string[] = [];
  const sockets = new Set<Duplex>();
  const server: Server = createServer((request, response) => {
    response.on("error", () => {});
    void serve(request, response, pages, requests, otherOrigin).catch((thrown: unknown) => {
      response.writeHead(500).end(String(thrown));
    });
  });
  server.on("connection", (socket) => {
    if (listsConnections) requests.push("CONNECTION");
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request, socket) => {
    requests.push(`UPGRADE ${request.url ?? ""}`);
    socket.destroy();
  });
  server.listen(port, address);
  await once(server, "listening");
  // An address of a listening server is never a text or null.
  const bound = server.address() as AddressInfo;
  return {
    port: bound.port,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  pages: SitePages,
  requests: string[],
  otherOrigin: () => string,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://site");
  const method = request.method ?? "GET";
  requests.push(`${method} ${url.pathname}`);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const page = pageFor(pages, method, url.pathname);
  if (page === undefined) {
    response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not found</h1>");
    return;
  }
  const answer = page({
    method,
    host: request.headers.host ?? "",
    path: url.pathname,
    query: url.searchParams,
    cookies: cookiesOf(request.headers.cookie ?? ""),
    headers: request.headers,
    fields: fieldsOf(request.headers["content-type"] ?? "", body),
    body,
    otherOrigin: otherOrigin(),
    response,
  });
  if (answer === undefined) return;
  response
    .writeHead(answer.status ?? 200, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      // Node's type wants mutable arrays.
      ...(answer.headers as Record<string, string | string[]>),
    })
    .end(answer.body ?? "");
}

function pageFor(pages: SitePages, method: string, path: string): SitePage | undefined {
  const exact = pages[`${method} ${path}`];
  if (exact) return exact;
  const below = Object.keys(pages).find(
    (key) => key.endsWith("/*") && `${method} ${path}`.startsWith(key.slice(0, -1)),
  );
  return below === undefined ? undefined : pages[below];
}

function cookiesOf(header: string): Record<string, string> {
  return Object.fromEntries(
    header
      .split(";")
      .map((part) => part.trim().split("="))
      .filter((pair) => pair.length === 2),
  );
}

function fieldsOf(type: string, body: Buffer): URLSearchParams {
  if (type.startsWith("application/x-www-form-urlencoded")) return new URLSearchParams(body.toString());
  if (type.startsWith("multipart/form-data")) return multipart(type, body);
  return new URLSearchParams();
}

/** A file becomes `NAME:BYTES` of its field. */
function multipart(type: string, body: Buffer): URLSearchParams {
  const boundary = /boundary=(.+)$/u.exec(type)?.[1] ?? "";
  const fields = new URLSearchParams();
  for (const part of body.toString("latin1").split(`--${boundary}`)) {
    const [head = "", ...rest] = part.split("\r\n\r\n");
    const name = /name="([^"]*)"/u.exec(head)?.[1];
    if (name === undefined) continue;
    const value = Buffer.from(rest.join("\r\n\r\n").replace(/\r\n$/u, ""), "latin1");
    const file = /filename="([^"]*)"/u.exec(head)?.[1];
    fields.append(name, file === undefined ? value.toString() : `${file}:${value.length}`);
  }
  return fields;
}

export function html(title: string, body: string, head = ""): SiteAnswer {
  return {
    body: `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body>${body}</body></html>`,
  };
}

export function redirect(location: string, headers: SiteAnswer["headers"] = {}): SiteAnswer {
  return { status: 303, headers: { location, ...headers } };
}

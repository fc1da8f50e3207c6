import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";

import { isObject, parsedJson } from "../../src/base/json.ts";
import { tempHome } from "./temp-home.ts";

/** Uses the real Chromium program, because the script of the same name on PATH does not pass signals on. */
export const headlessShell = "/usr/lib/chromium/chromium-headless-shell";

export interface DebuggedBrowser extends AsyncDisposable {
  readonly port: number;
  readonly path: string;
  readonly url: string;
  /** Addresses of the open pages. */
  pages(): Promise<readonly string[]>;
}

/**
 * Starts a Chromium that listens on a DevTools port, as a user or a service runs it. `flags` are added to its command
 * line.
 */
export async function startDebuggedBrowser(flags: readonly string[] = []): Promise<DebuggedBrowser> {
  const folder = await tempHome();
  const args = ["--remote-debugging-port=0", `--user-data-dir=${join(folder.path, "user")}`, "--no-first-run"];
  // Chromium refuses its own sandbox for root; these pages are ours.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  const child = spawn(headlessShell, [...args, ...flags, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const url = await listening(child);
  const { port, pathname } = new URL(url);
  return {
    url,
    port: Number(port),
    path: pathname,
    async pages() {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
      const targets = (await answer.json()) as readonly { readonly type: string; readonly url: string }[];
      return targets.flatMap((target) => (target.type === "page" ? [target.url] : []));
    },
    async [Symbol.asyncDispose]() {
      const ended = child.exitCode === null ? once(child, "exit") : Promise.resolve();
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // The process has already ended.
      }
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function listening(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error("no stderr");
  for await (const line of createInterface(child.stderr)) {
    const url = /DevTools listening on (ws:\S+)/u.exec(line)?.[1];
    if (url !== undefined) {
      child.stderr.resume();
      return url;
    }
  }
  throw new Error("the browser ended at its start");
}

export interface CloudServer extends AsyncDisposable {
  /** The address `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The requests as `METHOD /path {json}`, in order, without keys. */
  readonly requests: readonly string[];
  /** Ids of browsers that are open. */
  readonly open: ReadonlySet<string>;
  /** Sets the response to the next request. */
  fail(status: number, body: object, headers?: Readonly<Record<string, string>>): void;
}

/** Simulates the documented APIs of Browserbase, Browser Use and Firecrawl, with a real browser behind the sockets. */
export async function startCloudServer(browser: Pick<DebuggedBrowser, "port" | "path">): Promise<CloudServer> {
  const requests: string[] = [];
  const open = new Set<string>();
  const faults: { status: number; body: object; headers: Readonly<Record<string, string>> }[] = [];
  const sockets = new Set<Duplex>();
  let opened = 0;
  const create = () => {
    const id = `session-${++opened}`;
    open.add(id);
    return id;
  };

  /** Undefined if there is no such session. */
  function answer(method: string, path: string, json: Record<string, unknown>): object | undefined {
    const id = path.split("/").at(-1) ?? "";
    if (method === "POST" && path === "/v1/sessions") {
      const session = create();
      return {
        id: session,
        projectId: json["projectId"],
        status: "RUNNING",
        connectUrl: `ws://${host()}/connect?sessionId=${session}&signingKey=k`,
      };
    }
    if (method === "POST" && path === "/api/v3/browsers") {
      const session = create();
      return {
        id: session,
        status: "active",
        cdpUrl: `http://${host()}/cdp/${session}`,
        liveUrl: `https://live.example/${session}`,
      };
    }
    if (method === "GET" && path.startsWith("/cdp/"))
      return { webSocketDebuggerUrl: `ws://${host()}/connect?sessionId=${path.split("/")[2]}` };
    if (method === "POST" && path === "/v2/browser") {
      const session = create();
      return {
        success: true,
        id: session,
        cdpUrl: `ws://${host()}/connect?sessionId=${session}`,
        liveViewUrl: `https://live.example/${session}`,
      };
    }
    const isRelease = method === "POST" && path.startsWith("/v1/sessions/") && json["status"] === "REQUEST_RELEASE";
    const isStop = method === "PATCH" && path.startsWith("/api/v3/browsers/") && json["action"] === "stop";
    const isDelete = method === "DELETE" && path.startsWith("/v2/browser/");
    return (isRelease || isStop || isDelete) && open.delete(id)
      ? { success: true, id, status: "COMPLETED" }
      : undefined;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const path = new URL(request.url ?? "/", "http://cloud").pathname;
    const method = request.method ?? "GET";
    requests.push(`${method} ${path} ${text}`.trim());
    const send = (status: number, body: object, headers: Readonly<Record<string, string>> = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    const fault = faults.shift();
    if (fault) return void send(fault.status, fault.body, fault.headers);
    if (!path.startsWith("/cdp/") && !hasKey(request)) return void send(401, { error: { message: "Invalid API key" } });
    const json = parsedJson(text);
    const body = answer(method, path, isObject(json) ? json : {});
    send(body === undefined ? 404 : 200, body ?? { error: "Session not found" });
  }

  const server = createServer((request, response) => void serve(request, response));
  server.on("upgrade", (request, socket, head) => {
    const session = new URL(request.url ?? "/", "http://cloud").searchParams.get("sessionId") ?? "";
    sockets.add(socket);
    if (!open.has(session)) return void socket.end("HTTP/1.1 410 Gone\r\n\r\n");
    const upstream = connect(browser.port, "127.0.0.1", () => {
      const lines = Object.entries(request.headers)
        .filter(([name]) => name !== "host" && name !== "origin")
        .map(([name, value]) => `${name}: ${String(value)}`);
      upstream.write(
        `GET ${browser.path} HTTP/1.1\r\nhost: 127.0.0.1:${browser.port}\r\n${lines.join("\r\n")}\r\n\r\n`,
      );
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    for (const one of [socket, upstream]) one.on("error", () => {});
    socket.on("close", () => upstream.destroy());
    upstream.on("close", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host()}`,
    requests,
    open,
    fail: (status, body, headers = {}) => void faults.push({ status, body, headers }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export const cloudKey = "cloud-key-1";

function hasKey({ headers }: IncomingMessage): boolean {
  return [
    headers["x-bb-api-key"],
    headers["x-browser-use-api-key"],
    headers.authorization?.replace(/^Bearer /u, ""),
  ].includes(cloudKey);
}

import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";

import { type HostedMachine, hostedMachine } from "./hosted-machine.ts";

/** Simulates the part of Daytona's API that Hermes uses. Commands really run, in a folder for each sandbox. */
export interface DaytonaServer extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly sandboxes: ReadonlyMap<string, ServedSandbox>;
  /** All requests, as `METHOD /path`. */
  readonly requests: readonly string[];
  /** Replaces the answer to the next matching request. */
  inject(fault: InjectedFault): void;
  folderOf(name: string): string;
}

export interface ServedSandbox {
  readonly id: string;
  readonly name: string;
  state: string;
  readonly asked: Readonly<Record<string, unknown>>;
  readonly machine: HostedMachine;
}

export interface InjectedFault {
  readonly on: RegExp;
  /** `drop` closes the connection without an answer. `lost` serves the request and then closes the connection. */
  readonly with: number | "drop" | "lost";
  readonly headers?: Readonly<Record<string, string>>;
  /** How often the fault applies. Default: once. */
  readonly times?: number;
}

export interface DaytonaServerOptions {
  readonly folder: string;
  /** Old toolboxes split the command line themselves. */
  readonly isOld?: boolean;
  readonly startMs?: number;
}

export async function daytonaServer(options: DaytonaServerOptions): Promise<DaytonaServer> {
  const { folder, isOld = false, startMs = 30 } = options;
  const apiKey = "dtn_test";
  const sandboxes = new Map<string, ServedSandbox>();
  const making = new Set<string>();
  const requests: string[] = [];
  const faults: { on: RegExp; with: InjectedFault["with"]; headers: Readonly<Record<string, string>>; left: number }[] =
    [];
  const timers = new Set<NodeJS.Timeout>();
  let url = "";

  const described = ({ id, name, state, asked: answer }: ServedSandbox) => ({
    id,
    name,
    state,
    labels: answer["labels"],
    organizationId: "org",
    ...(isOld ? {} : { toolboxProxyUrl: `${url}/toolbox/` }),
  });
  const find = (idOrName: string) =>
    [...sandboxes.values()].find(({ id, name, state }) => [id, name].includes(idOrName) && state !== "destroyed");
  const later = (run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, startMs);
    timers.add(timer);
  };
  const folderOf = (name: string) => join(folder, createHash("sha256").update(name).digest("hex").slice(0, 12));

  async function control(method: string, path: string, body: Buffer): Promise<Reply> {
    if (method === "POST" && path === "/api/sandbox") {
      const answer = JSON.parse(body.toString()) as Record<string, unknown>;
      const name = String(answer["name"]);
      // Checked before any await, so that one of two concurrent requests is refused.
      if (find(name) || making.has(name)) return [409, { message: `Sandbox with name ${name} already exists` }];
      making.add(name);
      const machine = await hostedMachine(folderOf(name));
      const id = `sb-${sandboxes.size + 1}-${name}`;
      const sandbox: ServedSandbox = { id, name, state: "creating", asked: answer, machine };
      sandboxes.set(id, sandbox);
      making.delete(name);
      later(() => (sandbox.state = "started"));
      return [200, described(sandbox)];
    }
    const [, idOrName = "", action] = /^\/api\/sandbox\/([^/]+)(?:\/([a-z-]+))?$/u.exec(path) ?? [];
    const sandbox = find(decodeURIComponent(idOrName));
    if (!sandbox) return [404, { message: `Sandbox with ID or name ${idOrName} not found`, statusCode: 404 }];
    switch (`${method} ${action ?? ""}`) {
      case "GET ":
        return [200, described(sandbox)];
      case "GET toolbox-proxy-url":
        return [200, { url: `${url}/toolbox` }];
      case "POST start":
        if (!["stopped", "archived"].includes(sandbox.state)) return [400, { message: "Sandbox is not stopped" }];
        sandbox.state = "starting";
        later(() => (sandbox.state = "started"));
        return [200, described(sandbox)];
      case "POST stop":
        if (sandbox.state !== "started") return [400, { message: "Sandbox is not started" }];
        sandbox.state = "stopping";
        await sandbox.machine.kill();
        later(() => (sandbox.state = "stopped"));
        return [200, described(sandbox)];
      case "DELETE ":
        sandbox.state = "destroying";
        await sandbox.machine[Symbol.asyncDispose]();
        sandbox.state = "destroyed";
        return [200, described(sandbox)];
      default:
        return [404, { message: `Cannot ${method} ${path}` }];
    }
  }

  async function toolbox(method: string, path: string, body: Buffer, type: string): Promise<Reply> {
    const [, id = "", action = ""] = /^\/toolbox\/([^/]+)\/(.+)$/u.exec(path) ?? [];
    const sandbox = find(id);
    if (sandbox?.state !== "started") return [404, { message: "not found: sandbox container not found" }];
    if (method === "POST" && action === "process/execute") {
      const { command, timeout } = JSON.parse(body.toString()) as { command: string; timeout: number };
      return execute(sandbox.machine, command, timeout);
    }
    if (method === "POST" && action === "files/bulk-upload") {
      const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
      for (const [name, value] of form) {
        const target = form.get(name.replace(/file$/u, "path"));
        if (typeof value === "string" || typeof target !== "string") continue;
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, Buffer.from(await value.arrayBuffer()));
      }
      return [200, { files: [] }];
    }
    return [404, { message: `Cannot ${method} ${path}` }];
  }

  async function execute(machine: HostedMachine, command: string, timeoutSeconds: number): Promise<Reply> {
    const child = isOld
      ? machine.run(splitOldWay(command), { stdin: "ignore" })
      : machine.run(["sh"], { stdin: "pipe" });
    child.stdin?.end(command);
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutSeconds * 1000);
    const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
    clearTimeout(timer);
    const result = Buffer.concat(chunks).toString();
    return [200, isOld ? { code: exitCode ?? -1, result } : { exitCode: exitCode ?? -1, result }];
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? "";
    const path = new URL(request.url ?? "", "http://x").pathname;
    const line = `${method} ${path}`;
    requests.push(line);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const fault = faults.find((one) => one.left > 0 && one.on.test(line));
    if (fault) fault.left -= 1;
    const reply = async (): Promise<Reply> => {
      if (request.headers.authorization !== `Bearer ${apiKey}`) return [401, { message: "Unauthorized" }];
      const isToolbox = path.startsWith("/toolbox/");
      if (!isToolbox) return control(method, path, body);
      return toolbox(method, path, body, request.headers["content-type"] ?? "");
    };
    if (fault?.with === "drop") return void request.socket.destroy();
    if (typeof fault?.with === "number") {
      response.writeHead(fault.with, { "content-type": "application/json", ...fault.headers });
      return void response.end(JSON.stringify({ message: "injected" }));
    }
    const [status, value] = await reply();
    if (fault) return void request.socket.destroy();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(JSON.stringify({ message: String(thrown) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${url}/api`,
    apiKey,
    sandboxes,
    requests,
    inject: ({ on, with: what, headers = {}, times = 1 }) => void faults.push({ on, with: what, headers, left: times }),
    folderOf,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([...sandboxes.values()].map(({ machine }) => machine[Symbol.asyncDispose]()));
    },
  };
}

type Reply = readonly [status: number, body: unknown];

/** Splits at spaces outside quotes; removes quotes and handles no escapes. */
function splitOldWay(command: string): string[] {
  return (command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/gu, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
}

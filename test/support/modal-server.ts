import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";

import { type Fields, GrpcError, grpcServer, type Handler, messageOf } from "./grpc-server.ts";
import { type HostedMachine, hostedMachine, isCopied } from "./hosted-machine.ts";

/** Simulates the part of Modal that its SDK uses. Commands really run, in a folder for each sandbox. */
export interface ModalServer extends AsyncDisposable {
  /** The value of MODAL_SERVER_URL. */
  readonly url: string;
  readonly tokenId: string;
  readonly tokenSecret: string;
  /** Running and ended sandboxes, oldest first. */
  readonly sandboxes: readonly ServedSandbox[];
  /** Images by id: the folders of snapshots. */
  readonly images: Map<string, string>;
  /** Every request, by the name of its method. */
  readonly requests: readonly string[];
  /** Makes the next call of this method fail with a gRPC code, or lose its answer after it was served. */
  inject(method: string, fault: number | "lost"): void;
  /** Ends a sandbox as its timeout would. */
  end(sandbox: ServedSandbox): Promise<void>;
  dropConnections(): void;
}

export interface ServedSandbox {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
  readonly machine: HostedMachine;
  isRunning: boolean;
}

export async function modalServer(folder: string): Promise<ModalServer> {
  const [tokenId, tokenSecret] = ["ak-test", "as-test"];
  const sandboxes: ServedSandbox[] = [];
  const images = new Map<string, string>();
  const runs = new Map<string, Run>();
  const making = new Set<string>();
  let created = 0;
  let snapshots = 0;
  const requests: string[] = [];
  const faults: { method: string; fault: number | "lost" }[] = [];
  const router = () => messageOf({ 1: token(), 2: `https://127.0.0.1:${server.port}` });

  function takeFault(method: string, isLost: boolean) {
    const index = faults.findIndex((one) => one.method === method && (one.fault === "lost") === isLost);
    return index < 0 ? undefined : faults.splice(index, 1)[0]?.fault;
  }
  const running = (id: string): ServedSandbox => {
    const sandbox = sandboxes.find((one) => one.id === id || `ta-${one.id}` === id);
    if (!sandbox?.isRunning) throw new GrpcError(5, `${id} is not running`);
    return sandbox;
  };
  const runOf = (request: Fields): Run => {
    running(request.text(1));
    const match = runs.get(request.text(2));
    if (!match) throw new GrpcError(5, "no such exec");
    return match;
  };
  async function end(sandbox: ServedSandbox): Promise<void> {
    sandbox.isRunning = false;
    await sandbox.machine.kill();
  }

  const control: Readonly<Record<string, Handler>> = {
    AuthTokenGet: async () => messageOf({ 1: token() }),
    AppGetOrCreate: async (request) => messageOf({ 1: `ap-${request.text(1)}` }),
    EnvironmentGetOrCreate: async () => messageOf({ 2: messageOf({ 2: messageOf({ 1: "2025.06" }) }) }),
    ImageGetOrCreate: async (request) => {
      const [from = ""] = request.message(2).texts(6);
      if (from.includes("no-such")) return messageOf({ 1: "im-x", 2: messageOf({ 1: 2, 2: "manifest unknown" }) });
      return messageOf({ 1: `im-${Buffer.from(from).toString("hex")}`, 2: messageOf({ 1: 1 }) });
    },
    ImageFromId: async (request) => {
      if (!images.has(request.text(1))) throw new GrpcError(5, `Could not find image with ID ${request.text(1)}`);
      return messageOf({ 1: request.text(1) });
    },
    SandboxCreateV2: async (request) => {
      const plan = request.message(2);
      const name = plan.text(30);
      // Checked before any await, so that one of two concurrent requests is refused.
      const isTaken = making.has(name) || sandboxes.some((one) => one.isRunning && one.name === name);
      if (isTaken) throw new GrpcError(6, `${name} is taken`);
      making.add(name);
      const image = plan.text(3);
      const id = `sb-${(created += 1)}v2`;
      const machine = await hostedMachine(join(folder, id), images.get(image));
      const [args, timeoutSeconds] = [plan.texts(1), plan.number(7)];
      sandboxes.push({ id, name, image, args, timeoutSeconds, machine, isRunning: true });
      making.delete(name);
      return messageOf({ 1: id, 3: `ta-${id}`, 5: router() });
    },
    SandboxGetFromNameV2: async (request) => {
      const match = sandboxes.find((one) => one.isRunning && one.name === request.text(1));
      if (!match) throw new GrpcError(5, "no such sandbox");
      return messageOf({ 1: match.id });
    },
    SandboxGetFromName: async () => {
      throw new GrpcError(5, "no such sandbox");
    },
    SandboxGetTaskIdV2: async (request) => messageOf({ 1: `ta-${running(request.text(1)).id}` }),
    SandboxGetCommandRouterAccess: async (request) => running(request.text(1)) && router(),
    SandboxWaitV2: async (request) => {
      const sandbox = sandboxes.find((one) => one.id === request.text(1));
      return sandbox?.isRunning ? Buffer.alloc(0) : messageOf({ 1: messageOf({ 1: 4 }) });
    },
    SandboxTerminateV2: async (request) => {
      await end(running(request.text(1)));
      return Buffer.alloc(0);
    },
  };

  const commands: Readonly<Record<string, Handler>> = {
    TaskExecStart: async (request) => {
      const { machine } = running(request.text(1));
      const id = request.text(2);
      if (!runs.has(id)) runs.set(id, createRun(machine.run(request.texts(3), { stdin: "pipe" })));
      return Buffer.alloc(0);
    },
    TaskExecStdioRead: (request) => {
      const { stdout, stderr } = runOf(request);
      return messages((request.number(4) === 0 ? stdout : stderr).from(request.number(3)));
    },
    TaskExecStdinWrite: async (request) => {
      const { child } = runOf(request);
      const stdin = child.stdin;
      if (!stdin || stdin.destroyed) throw new GrpcError(9, "the process reads no input");
      const data = request.bytes(4);
      if (data.length > 0 && !stdin.write(data)) await Promise.race([once(stdin, "drain"), once(stdin, "close")]);
      if (request.number(5) === 1) stdin.end();
      return Buffer.alloc(0);
    },
    TaskSnapshotFilesystem: async (request) => {
      const { machine } = running(request.text(1));
      const id = `im-snapshot${(snapshots += 1)}`;
      const target = join(folder, id);
      await mkdir(target);
      await cp(machine.folder, target, { recursive: true, verbatimSymlinks: true, filter: isCopied });
      images.set(id, target);
      return messageOf({ 1: id });
    },
  };

  function checked(method: string, handler: Handler, isAllowed: (headers: Headers) => boolean): Handler {
    return (request, headers) => {
      requests.push(method);
      if (!isAllowed(headers)) throw new GrpcError(16, "Token missing or not valid");
      const fault = takeFault(method, false);
      if (typeof fault === "number") throw new GrpcError(fault, `injected ${fault}`);
      return handler(request, headers);
    };
  }
  const server = await grpcServer(
    {
      ...mapped("modal.client.ModalClient", control, (method, handler) =>
        checked(
          method,
          handler,
          (headers) => headers["x-modal-token-id"] === tokenId && headers["x-modal-token-secret"] === tokenSecret,
        ),
      ),
      ...mapped("modal.task_command_router.TaskCommandRouter", commands, (method, handler) =>
        checked(method, handler, (headers) => String(headers["authorization"]).startsWith("Bearer ")),
      ),
    },
    (path) => takeFault(path.split("/").at(-1) ?? "", true) !== undefined,
  );
  return {
    url: `http://127.0.0.1:${server.port}`,
    tokenId,
    tokenSecret,
    sandboxes,
    images,
    requests,
    inject: (method, fault) => void faults.push({ method, fault }),
    end,
    dropConnections: server.dropConnections,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await Promise.all(sandboxes.map(({ machine }) => machine[Symbol.asyncDispose]()));
    },
  };
}

type Headers = Parameters<Handler>[1];

function mapped(
  service: string,
  handlers: Readonly<Record<string, Handler>>,
  wrap: (method: string, handler: Handler) => Handler,
): Record<string, Handler> {
  return Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [`/${service}/${method}`, wrap(method, handler)]),
  );
}

interface Run {
  readonly child: ChildProcess;
  readonly stdout: Output;
  readonly stderr: Output;
}

function createRun(child: ChildProcess): Run {
  return { child, stdout: createOutput(child.stdout), stderr: createOutput(child.stderr) };
}

/** Output of a process from a recent offset on: a reader that lost its connection continues there. */
interface Output {
  from(offset: number): AsyncIterable<Buffer>;
}

function createOutput(stream: Readable | null): Output {
  const chunks: { readonly at: number; readonly bytes: Buffer }[] = [];
  let total = 0;
  let readTo = 0;
  let hasEnded = stream === null;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  // Reads at once, because Node discards unread output of an ended process.
  async function fill(source: Readable): Promise<void> {
    for await (const bytes of source.pipe(new PassThrough())) {
      chunks.push({ at: total, bytes: bytes as Buffer });
      total += (bytes as Buffer).length;
      change();
      const ahead = () => total - readTo;
      while (ahead() > windowBytes) await changed.promise;
      while ((chunks[0]?.at ?? readTo) < readTo - windowBytes) chunks.shift();
    }
  }
  if (stream) {
    const end = () => {
      hasEnded = true;
      change();
    };
    void fill(stream).then(end, end);
  }
  return {
    async *from(offset) {
      for (let index = offset; ;) {
        const chunk = chunks.find((one) => one.at <= index && index < one.at + one.bytes.length);
        if (chunk) {
          yield chunk.bytes.subarray(index - chunk.at);
          index = chunk.at + chunk.bytes.length;
          readTo = Math.max(readTo, index);
          change();
        } else if (hasEnded) return;
        else await changed.promise;
      }
    },
  };
}

const windowBytes = 1024 * 1024;

async function* messages(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  for await (const chunk of chunks) yield messageOf({ 1: chunk });
}

/** A token with an expiry, which the SDK reads. */
function token(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part({ exp: 4_000_000_000 })}.${part({})}`;
}

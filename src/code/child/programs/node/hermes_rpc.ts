/**
 * The connection of a script with Hermes. See src/contracts/code/wire.ts. This file is copied into the script's
 * folder without its types, so it imports no other file.
 */
import process from "node:process";

/** Thrown when Hermes has ended or has closed the connection. */
export class AgentDisconnected extends Error {
  override name = "AgentDisconnected";
}

type Arguments = Readonly<Record<string, unknown>>;

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Connection {
  call(tool: string, args: Arguments): Promise<unknown>;
  send(line: string): void;
  rejectAll(error: Error): void;
}

// One connection for each process, opened by the first call.
const connected = lazily(connect);

/** Calls a tool by its own name. */
export function call_tool(name: string, args: Arguments = {}): Promise<unknown> {
  return connected().call(name, args);
}

/** Receives a line for a kernel. */
export function sendLine(value: unknown): void {
  connected().send(`${JSON.stringify(value)}\n`);
}

/** Ends the open calls of a kernel that is interrupted. */
export function rejectCalls(error: Error): void {
  connected().rejectAll(error);
}

function lazily<T>(make: () => T): () => T {
  let result: T | undefined;
  return () => (result ??= make());
}

function connect(): Connection {
  const address = process.env["HERMES_RPC_SOCKET"] ?? "";
  const { connect: open } = process.getBuiltinModule("node:net");
  const pending = new Map<number, Pending>();
  let last = 0;
  let outgoing = `${JSON.stringify({ token: process.env["HERMES_RPC_TOKEN"] ?? "" })}\n`;
  let isWaiting = false;
  let fault: Error | undefined;
  let parts: Buffer[] = [];

  // One buffer for all reads, without a stream queue.
  const onread = {
    buffer: Buffer.allocUnsafeSlow(65_536),
    callback(size: number, bytes: Uint8Array) {
      receive(Buffer.from(bytes.buffer, bytes.byteOffset, size));
      return true;
    },
  };
  const tcp = /^tcp:\/\/(.+):(\d+)$/.exec(address);
  const socket = tcp
    ? open({ host: tcp[1] ?? "", port: Number(tcp[2]), noDelay: true, onread })
    : open({ path: address, onread });
  socket.on("error", () => end(new AgentDisconnected("Agent process disconnected")));
  socket.on("close", () => end(new AgentDisconnected("Agent process disconnected")));
  // Only open calls keep the process running.
  socket.unref();

  function end(error: Error): void {
    fault ??= error;
    rejectAll(fault);
  }

  function rejectAll(error: Error): void {
    const open = [...pending.values()];
    pending.clear();
    for (const { reject } of open) reject(error);
    socket.unref();
  }

  function send(line: string): void {
    outgoing += line;
    if (isWaiting) return;
    isWaiting = true;
    // Calls that start together are sent in one write.
    process.nextTick(() => {
      isWaiting = false;
      const text = outgoing;
      outgoing = "";
      socket.write(text);
    });
  }

  function receive(chunk: Buffer): void {
    let start = 0;
    for (let stop = chunk.indexOf(10); stop !== -1; stop = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, stop);
      const line = parts.length === 0 ? piece.toString() : Buffer.concat([...parts, piece]).toString();
      parts = [];
      start = stop + 1;
      settle(JSON.parse(line));
    }
    // The buffer is reused, so the rest is copied.
    if (start < chunk.length) parts.push(Buffer.from(chunk.subarray(start)));
  }

  function settle(reply: { readonly id: number | null; readonly result?: unknown; readonly fault?: string }): void {
    if (reply.id === null) return end(new AgentDisconnected(reply.fault));
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if (pending.size === 0) socket.unref();
    call?.resolve(reply.fault === undefined ? reply.result : { error: reply.fault });
  }

  return {
    call(tool, args) {
      return new Promise((resolve, reject) => {
        if (fault) return reject(fault);
        const id = ++last;
        // Serialises first: if the arguments are not JSON, the call must not count as open.
        const line = `${JSON.stringify({ id, tool, args }, plainValue)}\n`;
        if (pending.size === 0) socket.ref();
        pending.set(id, { resolve, reject });
        send(line);
      });
    },
    send,
    rejectAll,
  };
}

function plainValue(_key: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  if (value instanceof Map) return Object.fromEntries(value);
  return typeof value === "bigint" ? Number(value) : value;
}

/**
 * The function of one tool. It takes its arguments by position, as one object, or by position with a final object for
 * the rest. `objects` names arguments that may be objects themselves.
 */
export function stub(
  tool: string,
  names: readonly string[],
  objects: readonly string[],
  isOpen: boolean,
): (...values: readonly unknown[]) => Promise<unknown> {
  return async (...values) => {
    const args: Record<string, unknown> = {};
    const positional = [...values];
    const end = positional.length - 1;
    if (end >= 0 && isNamed(positional[end], names[end])) Object.assign(args, positional.pop());
    if (positional.length > names.length)
      throw new TypeError(`${tool} takes at most ${names.length} arguments: ${names.join(", ")}`);
    for (const [index, value] of positional.entries())
      if (value !== undefined) Object.defineProperty(args, names[index] ?? "", { value, enumerable: true });
    return call_tool(tool, args);
  };

  /** The object contains arguments by name; it is not the value of `parameter`. */
  function isNamed(value: unknown, parameter: string | undefined): boolean {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    if (parameter === undefined || !objects.includes(parameter)) return true;
    const keys = Object.keys(value);
    return keys.length > 0 && ((isOpen && parameter === names[0]) || keys.every((key) => names.includes(key)));
  }
}

/** Parses JSON that may contain unescaped control characters. */
export function json_parse(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    const escaped = text.replace(/"(?:[^"\\]|\\[^])*"/gu, (literal) =>
      // oxlint-disable-next-line no-control-regex -- JSON does not allow these characters
      literal.replace(/[\0-\x1f]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    );
    if (escaped === text) throw error;
    return JSON.parse(escaped);
  }
}

/** Quotes a text as one word of a shell command. */
export function shell_quote(text: unknown): string {
  const word = String(text);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** Calls fn until it neither throws nor returns {error}. The wait starts at `delay` seconds and doubles each time. */
export async function retry<T>(fn: () => T | Promise<T>, max_attempts = 3, delay = 2, exponential = true): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await fn();
      const hasFailed = typeof result === "object" && result !== null && "error" in result && Boolean(result.error);
      if (!hasFailed || attempt >= max_attempts) return result;
    } catch (error) {
      if (error instanceof AgentDisconnected || attempt >= max_attempts) throw error;
    }
    const seconds = delay * (exponential ? 2 ** (attempt - 1) : 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

/** Runs functions, at most `limit` in parallel, or waits for promises. Returns the results in order. */
export async function parallel<T>(calls: Iterable<Promise<T> | (() => T | Promise<T>)>, limit = 16): Promise<T[]> {
  const work = [...calls];
  const results: T[] = Array.from({ length: work.length });
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < work.length) {
      const index = next++;
      const call = work[index];
      results[index] = await (typeof call === "function" ? call() : (call as Promise<T>));
    }
  };
  // A promise that rejects before it is awaited must not end the process.
  for (const call of work) if (call instanceof Promise) call.catch(() => {});
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, work.length)) }, run));
  return results;
}

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";

import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { reasonOf } from "../../base/result.ts";
import {
  type BrokenReply,
  type KernelDone,
  maxCallBytes,
  type ScriptCall,
  type ScriptReply,
} from "../../contracts/code/wire.ts";

/** The host's end of the connections of one process of scripts. */
export interface CallServer extends Disposable {
  /** Other runs do not have this token. */
  readonly token: string;
  /** Returns the address for the process. */
  listen(path: string): Promise<string>;
}

export interface CallServerDeps {
  /** Never rejects. */
  readonly answer: (call: ScriptCall) => Promise<JsonValue>;
  /** A kernel has executed a script. */
  readonly done?: (done: KernelDone) => void;
  /** Default: this system. */
  readonly platform?: NodeJS.Platform;
}

export function createCallServer({ answer, done, platform = process.platform }: CallServerDeps): CallServer {
  const token = randomBytes(32).toString("base64url");
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  // The bytes of unfinished lines on all connections.
  let waitingBytes = 0;

  function accept(socket: Socket): void {
    if (sockets.size >= maxConnections) return void socket.destroy();
    sockets.add(socket);
    let ownBytes = 0;
    const hold = (bytes: number) => {
      waitingBytes += bytes - ownBytes;
      ownBytes = bytes;
      return bytes <= (isKnown ? maxCallBytes : maxHelloBytes) && waitingBytes <= maxWaitingBytes;
    };
    socket.on("close", () => {
      hold(0);
      sockets.delete(socket);
    });
    socket.on("error", () => socket.destroy());
    let isKnown = false;
    let unsent = "";
    const flush = () => {
      const text = unsent;
      unsent = "";
      // If a script does not read its responses, its requests are not read either.
      if (text !== "" && socket.writable && !socket.write(text)) socket.pause();
    };
    const send = (reply: ScriptReply | BrokenReply) => {
      // Replies that are ready at the same time leave in one write.
      if (unsent === "") process.nextTick(flush);
      unsent += `${JSON.stringify(reply)}\n`;
    };
    socket.on("drain", () => socket.resume());
    const refuse = (fault: string) => {
      socket.removeAllListeners("data");
      flush();
      socket.end(`${JSON.stringify({ id: null, fault } satisfies BrokenReply)}\n`);
      socket.resume();
    };
    const read = createFrames(
      hold,
      (line) => {
        if (!isKnown) {
          isKnown = isToken(line, token);
          if (!isKnown) refuse("Unauthorized RPC request");
          return isKnown;
        }
        handle(line, send);
        return true;
      },
      () => refuse(isKnown ? `a request is longer than ${maxCallBytes} bytes` : "Unauthorized RPC request"),
    );
    socket.on("data", read);
  }

  function handle(line: string, send: (reply: ScriptReply | BrokenReply) => void): void {
    const read = readCall(line);
    if ("fault" in read) return send(read);
    if ("done" in read) return done?.(read);
    const { id } = read;
    void answer(read).then((result) => send({ id, result }));
  }

  return {
    token,
    async listen(path) {
      // A sandbox that failed is started again, in another folder.
      server?.close();
      const listening = createServer(accept);
      server = listening;
      const isTcp = platform === "win32";
      await new Promise<void>((resolve, reject) => {
        listening.once("error", reject);
        if (isTcp) listening.listen({ host: "127.0.0.1", port: 0 }, resolve);
        else listening.listen(path, resolve);
      });
      listening.on("error", () => {});
      if (!isTcp) chmodSync(path, 0o600);
      const address = listening.address();
      return isObject(address) ? `tcp://127.0.0.1:${String(address["port"])}` : path;
    },
    [Symbol.dispose]() {
      server?.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A script has few threads, and each uses at most one connection. */
const maxConnections = 128;
const maxHelloBytes = 4_096;
/** Twice the maximum line length: a limit per connection would let many connections use gigabytes. */
const maxWaitingBytes = 2 * maxCallBytes;

/** Compares digests, in constant time. */
function isToken(line: string, token: string): boolean {
  const hello = parsed(line);
  const given = isObject(hello) && typeof hello["token"] === "string" ? hello["token"] : "";
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

function readCall(line: string): ScriptCall | KernelDone | BrokenReply {
  const message = parsed(line);
  if (!isObject(message)) return { id: null, fault: "Invalid RPC request: not a JSON object" };
  const { id, tool, args, done, failed, names } = message;
  if (typeof done === "number") return { done, failed: failed === true, names: variableNames(names) };
  if (typeof id !== "number") return { id: null, fault: "Invalid RPC request: id is not a number" };
  if (typeof tool !== "string") return { id, fault: "Invalid RPC request: tool is not a text" };
  if (!isObject(args)) return { id, fault: "Invalid RPC request: args is not an object" };
  // The value was parsed from JSON.
  return { id, tool, args: args as JsonObject };
}

/** Keeps only valid names, because the model reads them. */
function variableNames(names: unknown): readonly string[] {
  const texts = Array.isArray(names) ? names.slice(0, 1_000) : [];
  return texts.filter(
    (name): name is string => typeof name === "string" && /^[\p{L}_$][\p{L}\p{N}_$]{0,59}$/u.test(name),
  );
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

/**
 * Splits bytes into lines. `hold` gets the size of the incomplete line and returns whether it is acceptable. `line`
 * returns false to stop; after `tooLong` there are no more lines.
 */
function createFrames(
  hold: (bytes: number) => boolean,
  line: (text: string) => boolean,
  tooLong: () => void,
): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let waiting = 0;
  let isOver = false;
  return (chunk) => {
    for (let from = 0; from < chunk.length && !isOver;) {
      const end = chunk.indexOf(lineFeed, from);
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
      waiting += piece.length;
      if (!hold(waiting)) {
        isOver = true;
        pieces = [];
        hold(0);
        return tooLong();
      }
      pieces.push(piece);
      if (end < 0) return;
      const whole = pieces.length === 1 ? piece : Buffer.concat(pieces);
      pieces = [];
      waiting = 0;
      hold(0);
      from = end + 1;
      isOver = !line(whole.toString("utf8"));
    }
  };
}

const lineFeed = 0x0a;

import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";

import { err, ok, reasonOf, type Result } from "../../../base/result.ts";

export interface SocketMessage {
  readonly isText: boolean;
  readonly bytes: Buffer;
}

export interface SocketFailure {
  readonly message: string;
  /** The status of a response that refuses the connection. */
  readonly status?: number;
  /** The server's time, from its headers. */
  readonly date?: string;
}

/** The client side of a WebSocket with custom headers, which Node's WebSocket does not send. */
export interface OpenSocket extends Disposable {
  send(text: string): void;
  /**
   * The next whole message. Undefined if the server closed the connection. Rejects when the connection breaks or the
   * signal aborts.
   */
  next(): Promise<SocketMessage | undefined>;
}

/** `route`: the agent of a proxy, or how to look up the address. Never rejects. */
export function openWebSocket(
  url: URL,
  headers: Readonly<Record<string, string>>,
  route: { readonly agent: Agent } | { readonly lookup: LookupFunction },
  signal: AbortSignal,
): Promise<Result<OpenSocket, SocketFailure>> {
  return new Promise((resolve) => {
    const { request } = process.getBuiltinModule(url.protocol === "wss:" ? "node:https" : "node:http");
    const { hash, randomBytes } = process.getBuiltinModule("node:crypto");
    const key = randomBytes(16).toString("base64");
    const target = new URL(url);
    target.protocol = url.protocol === "wss:" ? "https:" : "http:";
    const fail = (failure: SocketFailure): void => resolve(err(failure));
    let connecting: ClientRequest;
    try {
      connecting = request(target, {
        signal,
        ...route,
        headers: {
          ...headers,
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": key,
        },
      });
    } catch (thrown) {
      return fail({ message: reasonOf(thrown) });
    }
    connecting.on("error", (thrown) => fail({ message: reasonOf(thrown) }));
    connecting.once("response", (response: IncomingMessage) => {
      const { statusCode: status = 0, headers: answered } = response;
      response.destroy();
      fail({ message: `it answered ${status}`, status, ...(answered.date !== undefined && { date: answered.date }) });
    });
    connecting.once("upgrade", (response: IncomingMessage, socket: Duplex, head: Buffer) => {
      const expected = hash("sha1", `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, "base64");
      if (response.headers["sec-websocket-accept"] !== expected) {
        socket.destroy();
        return fail({ message: "it does not speak WebSocket" });
      }
      return resolve(ok(socketOf(socket, head, signal)));
    });
    return void connecting.end();
  });
}

const maxMessageBytes = 16 * 2 ** 20;

function socketOf(socket: Duplex, head: Buffer, signal: AbortSignal): OpenSocket {
  const messages: SocketMessage[] = [];
  const waiting: { wake?: () => void } = {};
  let rest = head;
  let parts: Buffer[] = [];
  let isText = false;
  let isClosed = false;
  let failure: Error | undefined;
  const wake = (): void => waiting.wake?.();
  const end = (why?: Error): void => {
    failure ??= isClosed ? undefined : why;
    isClosed = true;
    signal.removeEventListener("abort", abort);
    socket.destroy();
    wake();
  };
  const abort = (): void => end(new Error("it was stopped"));

  function take(frame: Frame): void {
    if (frame.opcode === 8) return end();
    if (frame.opcode === 9) return void socket.write(clientFrame(10, frame.payload));
    if (frame.opcode > 2) return undefined;
    if (frame.opcode !== 0) isText = frame.opcode === 1;
    parts.push(frame.payload);
    if (parts.reduce((sum, part) => sum + part.length, 0) > maxMessageBytes)
      return end(new Error("a message is too large"));
    if (!frame.isLast) return undefined;
    messages.push({ isText, bytes: Buffer.concat(parts) });
    parts = [];
    return wake();
  }

  function read(): void {
    for (;;) {
      const frame = readFrame(rest);
      if (frame === "more") return;
      if (frame === "bad") return end(new Error("it sent a frame that cannot be read"));
      rest = rest.subarray(frame.bytes);
      take(frame);
      if (isClosed) return;
    }
  }

  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    read();
  });
  socket.on("error", (thrown) => end(thrown));
  socket.on("close", () => end(new Error("the connection ended early")));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  read();
  return {
    send: (text) => void (isClosed || socket.write(clientFrame(1, Buffer.from(text)))),
    async next() {
      for (;;) {
        const message = messages.shift();
        if (message) return message;
        if (failure) throw failure;
        if (isClosed) return undefined;
        await new Promise<void>((resolve) => {
          waiting.wake = resolve;
        });
      }
    },
    [Symbol.dispose]() {
      if (!isClosed) socket.write(clientFrame(8, Buffer.alloc(0)));
      end();
    },
  };
}

interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
  /** The length of the whole frame. */
  readonly bytes: number;
}

function readFrame(bytes: Buffer): Frame | "more" | "bad" {
  if (bytes.length < 2) return "more";
  const [first = 0, second = 0] = bytes;
  // Extensions were not agreed on, and a server does not mask.
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0) return "bad";
  const short = second & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return "more";
  const long = short === 127 ? bytes.readBigUInt64BE(2) : BigInt(short === 126 ? bytes.readUInt16BE(2) : short);
  if (long > BigInt(maxMessageBytes)) return "bad";
  const size = Number(long);
  if (bytes.length < start + size) return "more";
  return {
    opcode: first & 0x0f,
    isLast: (first & 0x80) !== 0,
    payload: bytes.subarray(start, start + size),
    bytes: start + size,
  };
}

function clientFrame(opcode: number, payload: Buffer): Buffer {
  const mask = process.getBuiltinModule("node:crypto").randomBytes(4);
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header[0] = 0x80 | opcode;
  if (length < 126) header[1] = 0x80 | length;
  else if (length < 65_536) {
    header[1] = 0x80 | 126;
    header.writeUInt16BE(length, 2);
  } else {
    header[1] = 0x80 | 127;
    header.writeBigUInt64BE(BigInt(length), 2);
  }
  const masked = Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return Buffer.concat([header, mask, masked]);
}

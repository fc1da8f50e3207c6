import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";

/** A gRPC server without generated code: messages are fields by number. Each request is one message. */
export interface GrpcServer extends AsyncDisposable {
  readonly port: number;
  /** Closes every connection, like a network failure. */
  dropConnections(): void;
}

export type Handler = (request: Fields, headers: IncomingHttpHeaders) => Promise<Buffer> | AsyncIterable<Buffer>;

/**
 * `handlers` are given by the path of the method. `lost` is called after a request was served; if it returns true,
 * the connection is cut instead of answering.
 */
export async function grpcServer(
  handlers: Readonly<Record<string, Handler>>,
  lost: (path: string) => boolean = () => false,
): Promise<GrpcServer> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined);
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    serve(stream, headers).catch((thrown: unknown) => refuse(stream, thrown));
  });

  async function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const path = String(headers[":path"]);
    const handler = handlers[path];
    if (!handler) throw new GrpcError(12, `no such method: ${path}`);
    const answer = handler(fieldsOf(Buffer.concat(chunks).subarray(5)), headers);
    const messages = Symbol.asyncIterator in answer ? answer : [await answer];
    if (lost(path)) return stream.session?.destroy();
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    for await (const message of messages) {
      if (stream.destroyed) return;
      const head = Buffer.alloc(5);
      head.writeUInt32BE(message.length, 1);
      if (!stream.write(Buffer.concat([head, message]))) await drained(stream);
    }
    stream.end();
  }

  function refuse(stream: ServerHttp2Stream, thrown: unknown): void {
    if (stream.destroyed || stream.headersSent) return void stream.destroy();
    const { code, message } = thrown instanceof GrpcError ? thrown : new GrpcError(13, String(thrown));
    const status = { "grpc-status": String(code), "grpc-message": encodeURIComponent(message) };
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto", ...status }, { endStream: true });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    dropConnections() {
      for (const session of sessions) session.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function drained(stream: ServerHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done).off("close", done);
      resolve();
    };
    stream.on("drain", done).on("close", done);
  });
}

export class GrpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A decoded message: each field by its number, in order. */
export interface Fields {
  text(field: number): string;
  texts(field: number): readonly string[];
  bytes(field: number): Buffer;
  number(field: number): number;
  message(field: number): Fields;
}

function fieldsOf(message: Buffer): Fields {
  const matches = new Map<number, (Buffer | number)[]>();
  for (let offset = 0; offset < message.length;) {
    const tag = varint();
    const value = valueOf(tag & 7);
    matches.set(tag >>> 3, [...(matches.get(tag >>> 3) ?? []), value]);

    function varint(): number {
      for (let value = 0, factor = 1; ; factor *= 128) {
        const byte = message[offset++] ?? 0;
        value += (byte & 127) * factor;
        if (byte < 128) return value;
      }
    }
    function valueOf(kind: number): Buffer | number {
      if (kind === 0) return varint();
      if (kind === 5) return message.readFloatLE((offset += 4) - 4);
      if (kind === 1) return message.readDoubleLE((offset += 8) - 8);
      const length = varint();
      return message.subarray(offset, (offset += length));
    }
  }
  const last = (field: number) => matches.get(field)?.at(-1);
  const bytesOf = (value: Buffer | number | undefined) => (value instanceof Buffer ? value : Buffer.alloc(0));
  return {
    text: (field) => bytesOf(last(field)).toString(),
    texts: (field) => (matches.get(field) ?? []).map((value) => bytesOf(value).toString()),
    bytes: (field) => bytesOf(last(field)),
    number: (field) => Number(last(field) ?? 0),
    message: (field) => fieldsOf(bytesOf(last(field))),
  };
}

/** Encodes strings, bytes, nested messages and whole numbers by field number. */
export function messageOf(fields: Readonly<Record<number, string | Uint8Array | number>>): Buffer {
  const parts: Uint8Array[] = [];
  for (const [field, value] of Object.entries(fields)) {
    const bytes = typeof value === "string" ? Buffer.from(value) : value;
    if (typeof bytes === "number") parts.push(varint(Number(field) * 8), varint(bytes));
    else parts.push(varint(Number(field) * 8 + 2), varint(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(bytes);
  }
}

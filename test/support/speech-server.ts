import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export interface SpeechCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface SpeechServer extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly SpeechCall[];
}

/** A scripted HTTP API server. `socket`: accepts connections that become WebSockets. */
export async function startSpeechServer(
  answer: (call: SpeechCall, response: ServerResponse) => void,
  socket?: (path: string, headers: IncomingHttpHeaders, connection: Duplex) => void,
): Promise<SpeechServer> {
  const calls: SpeechCall[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const call = { method, path, headers, body: Buffer.concat(chunks) };
      calls.push(call);
      answer(call, response);
    });
  });
  server.on("upgrade", (request, connection: Duplex) => {
    connection.on("error", () => {});
    sockets.add(connection);
    socket?.(request.url ?? "", request.headers, connection);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      for (const each of sockets) each.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Accepts a WebSocket and reports its texts; returns functions that send. */
export function acceptSocket(headers: IncomingHttpHeaders, connection: Duplex, received: (text: string) => void) {
  const accept = createHash("sha1")
    .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  connection.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let rest = Buffer.alloc(0);
  connection.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 6) return;
      const short = (rest[1] ?? 0) & 0x7f;
      const start = short === 126 ? 8 : 6;
      const size = short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < start + size) return;
      const mask = rest.subarray(start - 4, start);
      const payload = Buffer.from(
        rest.subarray(start, start + size).map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
      );
      const isText = ((rest[0] ?? 0) & 0x0f) === 1;
      rest = rest.subarray(start + size);
      if (isText) received(payload.toString("utf8"));
    }
  });
  const frame = (first: number, payload: Buffer) => {
    const header = payload.length < 126 ? Buffer.from([first, payload.length]) : Buffer.from([first, 126, 0, 0]);
    if (payload.length >= 126) header.writeUInt16BE(payload.length, 2);
    connection.write(Buffer.concat([header, payload]));
  };
  return {
    text: (text: string) => frame(0x81, Buffer.from(text)),
    /** Sent in two frames, like large messages. */
    bytes(payload: Buffer) {
      frame(0x02, payload.subarray(0, 3));
      frame(0x80, payload.subarray(3));
    },
    ping: () => frame(0x89, Buffer.from("are you there")),
  };
}

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import { answer, type Behaviour, type Message, type Wire } from "../fixtures/mcp-servers/behaviour.ts";
import { type HostileMode, hostileModes } from "../fixtures/mcp-servers/modes.ts";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: Message | undefined;
}

/** Handles a request itself, or returns undefined to let the server answer normally. */
export type HttpFault = (request: HttpRequest, response: ServerResponse) => true | undefined;

export interface HostileHttp extends AsyncDisposable {
  /** The value for `url` in the settings. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly HttpRequest[];
}

/** A Streamable HTTP server on loopback with hostile behaviour or HTTP faults. Answers are sent as events. */
export async function startHostileHttp(mode: HostileMode, fault: HttpFault = () => undefined): Promise<HostileHttp> {
  const behave: Behaviour = hostileModes[mode]();
  const requests: HttpRequest[] = [];
  const server = createServer((incoming, response) => {
    response.on("error", () => {});
    void receive(incoming, response);
  });
  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = await readMessage(incoming);
    const { method = "GET", url: path = "/", headers } = incoming;
    const request = { method, path, headers, message };
    requests.push(request);
    if (!fault(request, response)) serve(request, response, behave);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The cast is safe: a TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Faults that only HTTP can have. */
export const httpFaults = {
  /** Redirects the client to another address. */
  redirect:
    (to: string, status = 307): HttpFault =>
    (_, response) => {
      response.writeHead(status, { location: to }).end();
      return true;
    },
  /** Sends only the headers of an answer to a call. */
  headOnly: onCall((_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()),
  page: onCall((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>")),
  forgetsSession: onCall((_, response) => response.writeHead(404).end("session not found")),
  busy: onCall((_, response) => response.writeHead(503, { "retry-after": "3600" }).end("busy")),
  /** Sends a few compressed bytes that expand to many. */
  zipped: onCall((_, response) => {
    const bytes = gzipSync(Buffer.alloc(96 << 20, 0x20));
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bytes);
  }),
  /** Sends stream comments forever. */
  endlessComments: onCall((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = `:${"c".repeat(65_536)}\n\n`;
    const more = (): void => {
      if (!response.destroyed) response.write(chunk, () => setImmediate(more));
    };
    more();
  }),
  /** Sends one endless event. */
  endlessEvent: onCall((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: ");
    const chunk = "e".repeat(65_536);
    const more = (): void => {
      if (!response.destroyed) response.write(chunk, () => setImmediate(more));
    };
    more();
  }),
  cutOff: onCall((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
    response.write('{"jsonrpc":"2.0","id":', () => response.destroy());
  }),
} as const;

function onCall(act: (request: HttpRequest, response: ServerResponse) => void): HttpFault {
  return (request, response) => {
    if (request.message?.method !== "tools/call") return undefined;
    act(request, response);
    return true;
  };
}

function serve({ method, message }: HttpRequest, response: ServerResponse, behave: Behaviour): void {
  if (method !== "POST") return void response.writeHead(method === "DELETE" ? 200 : 405).end();
  if (message?.id === undefined || message.method === undefined) {
    if (message) behave(message, silentWire);
    return void response.writeHead(202).end();
  }
  const session = message.method === "initialize" ? { "mcp-session-id": "s1" } : {};
  response.writeHead(200, { "content-type": "text/event-stream", ...session });
  const wire: Wire = {
    send(sent) {
      response.write(`event: message\ndata: ${JSON.stringify(sent)}\n\n`);
      // Ends the stream after the answer.
      if ("id" in sent && sent.id === message.id) response.end();
    },
    raw: (bytes) => void response.write(bytes),
    exit: () => void response.destroy(),
  };
  if (!behave(message, wire)) answer(message, wire);
}

const silentWire: Wire = { send: () => {}, raw: () => {}, exit: () => {} };

async function readMessage(incoming: IncomingMessage): Promise<Message | undefined> {
  const chunks: Buffer[] = [];
  // The cast is safe: the body arrives as buffers.
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

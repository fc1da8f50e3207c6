import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";

import { systemClock as clock } from "../clock.ts";
import { createHttp } from "./http-client.ts";
import { eventStream, type HttpServerOptions, type ServedRoute, startHttpServer } from "./http-server.ts";
import { totalTimeout } from "./http-timeouts.ts";
import { readBody } from "./read-body.ts";

const { signal: never } = new AbortController();

async function serve(routes: readonly ServedRoute[], more: Partial<HttpServerOptions> = {}) {
  const started = await startHttpServer({ routes, clock, ...more });
  assert.ok(started.ok);
  return started.value;
}

async function ask(port: number, path: string, body?: string): Promise<string> {
  using http = createHttp({ clock });
  const url = new URL(`http://localhost:${port}${path}`);
  const request = {
    method: body === undefined ? "GET" : "POST",
    url,
    headers: {},
    ...(body !== undefined && { body }),
  };
  const sent = await http.send(request, totalTimeout(20_000), never);
  if (!sent.ok) return sent.error.kind;
  using response = sent.value;
  const read = await readBody(response);
  return `${response.status} ${read.ok ? read.value.toString() : read.error.kind}`;
}

const hello: ServedRoute = {
  method: "GET",
  path: "/hello",
  handle: async ({ url }) => ({ status: 200, body: url.search }),
};

test("a request reaches the route of its method and path", async () => {
  await using server = await serve([hello]);
  assert.equal(await ask(server.port, "/hello?a=1"), "200 ?a=1");
  assert.equal(await ask(server.port, "/other"), "404 Not found.\n");
  assert.equal(await ask(server.port, "/hello", "body"), "405 There is no such path for POST.\n");
});

test("a handler that throws produces status 500, and the server keeps serving", async () => {
  const broken: ServedRoute = {
    method: "GET",
    path: "/broken",
    handle: async () => {
      throw new Error("broken");
    },
  };
  await using server = await serve([hello, broken]);
  assert.equal(await ask(server.port, "/broken"), "500 broken\n");
  assert.equal(await ask(server.port, "/hello"), "200 ");
});

test("a request body up to the limit is read, and a longer one is refused without reading all of it", async () => {
  const echo: ServedRoute = {
    method: "POST",
    path: "/echo",
    async handle(request) {
      const body = await request.body();
      return body.ok ? { status: 200, body: body.value } : { status: 413, body: body.error };
    },
  };
  await using server = await serve([echo], { maxBodyBytes: 1_000 });
  assert.equal(await ask(server.port, "/echo", "x".repeat(1_000)), `200 ${"x".repeat(1_000)}`);
  assert.equal(await ask(server.port, "/echo", "x".repeat(1_001)), "413 too_large");
});

test("a request for another host name is refused, so that no page of another site can use the server", async () => {
  await using server = await serve([hello]);
  const sent = httpRequest({ port: server.port, host: "127.0.0.1", path: "/hello", headers: { host: "evil.example" } });
  sent.end();
  const [response] = (await once(sent, "response")) as [{ statusCode: number; resume(): void }];
  response.resume();
  assert.equal(response.statusCode, 403);
});

test("events are streamed as they happen, and a client that disconnects aborts the handler", async () => {
  const left = Promise.withResolvers<void>();
  const events: ServedRoute = {
    method: "GET",
    path: "/events",
    async handle({ signal }) {
      signal.addEventListener("abort", () => left.resolve());
      return eventStream(
        (async function* () {
          yield { event: "start", data: "1" };
          yield { data: "2" };
          await left.promise;
        })(),
      );
    },
  };
  await using server = await serve([events]);
  const socket = connect(server.port, "127.0.0.1").setEncoding("utf8");
  socket.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  let received = "";
  for await (const text of socket) {
    received += text;
    if (received.includes("data: 2")) break;
  }
  assert.match(received, /text\/event-stream[^]*event: start\ndata: 1\n\n[^]*data: 2\n\n/u);
  await left.promise;
});

test("a client that does not read is cut off after the timeout", async () => {
  const cut = Promise.withResolvers<void>();
  const endless: ServedRoute = {
    method: "GET",
    path: "/endless",
    handle: async () => ({
      status: 200,
      body: (async function* () {
        try {
          for (;;) yield "x".repeat(2 ** 16);
        } finally {
          cut.resolve();
        }
      })(),
    }),
  };
  await using server = await serve([endless], { writeTimeoutMs: 20 });
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  socket.pause();
  await cut.promise;
  socket.resume();
  await once(socket, "close");
});

test("stopping the server aborts open requests and disconnects clients that stay connected", async () => {
  const [received, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hanging: ServedRoute = {
    method: "GET",
    path: "/hanging",
    async handle({ signal }) {
      signal.addEventListener("abort", () => aborted.resolve());
      received.resolve();
      return new Promise(() => {});
    },
  };
  const server = await serve([hello, hanging]);
  const pending = ask(server.port, "/hanging");
  const idle = connect(server.port, "127.0.0.1");
  await Promise.all([once(idle, "connect"), received.promise]);
  await server[Symbol.asyncDispose]();
  await aborted.promise;
  assert.equal(await pending, "network");
  assert.equal(await ask(server.port, "/hello"), "network");
});

test("a port that is in use is an error", async () => {
  await using server = await serve([hello]);
  const second = await startHttpServer({ routes: [], clock, port: server.port });
  assert.match(second.ok ? "" : second.error, /^port \d+ cannot be used: /u);
});

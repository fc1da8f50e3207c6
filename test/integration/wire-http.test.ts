// covers: src/providers
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { createServer as createRawServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { createProvider } from "../../src/providers/provider.ts";
import { eventually } from "../support/eventually.ts";
import { findProgram, missingPrograms } from "../support/system-programs.ts";
import { attempt, collectEvents, plainRequest } from "../support/wire-servers/attempt.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";
import { startProxy } from "../support/wire-servers/proxy-server.ts";

const answered = { protocol: "openai-chat", turns: [{ text: "hi" }], repeat: true } as const;
const endpoint = { providerId: "scripted", protocol: "openai-chat", key: "sk-0123456789" } as const;
const withoutOpenssl = missingPrograms({ openssl: "openssl" });
const never = new AbortController().signal;

test("consecutive requests use one connection", async () => {
  await using server = await startModelServer(answered);
  using http = createHttp({ clock: systemClock });
  const provider = createProvider({ ...endpoint, baseUrl: server.url }, { http, clock: systemClock });
  for (let index = 0; index < 5; index++) {
    for await (const event of provider.stream(plainRequest, never)) assert.notEqual(event.type, "error");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(await server.openConnections(), 1);
});

test("a hundred concurrent requests are all answered", async () => {
  await using server = await startModelServer({
    ...answered,
    turns: (request) => ({
      text: `you said ${JSON.stringify(request.json["conversation"])}`,
      fault: { chunkBytes: 100 },
    }),
  });
  using http = createHttp({ clock: systemClock });
  const baseUrl = server.url;
  const ask = async (conversation: string) => {
    const quirks = { conversationField: "conversation" };
    const provider = createProvider({ ...endpoint, baseUrl, quirks }, { http, clock: systemClock });
    return collectEvents(await Array.fromAsync(provider.stream({ ...plainRequest, conversation }, never))).text;
  };
  const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
  const texts = await Promise.all(names.map(ask));
  assert.deepEqual(
    texts,
    names.map((name) => `you said "${name}"`),
  );
});

test("an idle connection that the server closed is not an error", async () => {
  const body = JSON.stringify({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] });
  let requests = 0;
  await using server = await startRaw((socket) => {
    let uses = 0;
    socket.on("data", (bytes) => {
      if (!String(bytes).startsWith("POST")) return;
      // The second use of a connection finds it closed.
      if (++uses > 1) return void socket.resetAndDestroy();
      requests += 1;
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  });
  using http = createHttp({ clock: systemClock });
  const provider = createProvider({ ...endpoint, baseUrl: server.url }, { http, clock: systemClock });
  for (let index = 0; index < 3; index++) {
    assert.equal(collectEvents(await Array.fromAsync(provider.stream(plainRequest, never))).text, "hi");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(requests, 3);
});

test("a reader that leaves closes the connection", async () => {
  await using server = await startModelServer({
    ...answered,
    turns: [{ text: Array.from({ length: 100 }, () => "piece "), fault: { chunkBytes: 50, dripMs: 5 } }],
  });
  using http = createHttp({ clock: systemClock });
  const provider = createProvider({ ...endpoint, baseUrl: server.url }, { http, clock: systemClock });
  for await (const event of provider.stream(plainRequest, never)) if (event.type === "text") break;
  await eventually(async () => (await server.openConnections()) === 0);
});

test("a slow reader does not count as a stall", async () => {
  await using server = await startModelServer({
    ...answered,
    turns: [{ text: ["a", "b", "c", "d"], fault: { chunkBytes: 60 } }],
  });
  using http = createHttp({ clock: systemClock });
  const timeouts = { stallMs: 60, contentMs: 60 };
  const provider = createProvider({ ...endpoint, baseUrl: server.url, timeouts }, { http, clock: systemClock });
  const types = [];
  for await (const event of provider.stream(plainRequest, never)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    types.push(event.type);
  }
  assert.equal(types.at(-1), "finish");
});

test("a server that keeps the connection open does not delay the response", async () => {
  const data = `data: ${JSON.stringify({ choices: [{ delta: { content: "hi" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
  await using server = await startModelServer({
    ...answered,
    turns: [{ raw: { body: data }, fault: { hangAfter: 1e6 } }],
  });
  assert.equal((await attempt({ ...endpoint, baseUrl: server.url })).text, "hi");
});

test("text after the end mark is ignored", async () => {
  const end = `data: ${JSON.stringify({ choices: [{ delta: { content: "hi" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
  const body = `${end}data: {"error":{"message":"late"}}\n\n{{{ garbage`;
  await using server = await startModelServer({ ...answered, turns: [{ raw: { body } }] });
  const { text, error } = await attempt({ ...endpoint, baseUrl: server.url });
  assert.deepEqual([text, error], ["hi", undefined]);
});

test("a refused connection, an unknown host and a server without HTTP get helpful errors", async () => {
  await using deaf = await startRaw((socket) => void socket.on("data", () => socket.end("SSH-2.0-x\r\n")));
  const refused = await attempt({ ...endpoint, baseUrl: "http://127.0.0.1:1/v1" });
  assert.equal(refused.error?.kind, "network");
  assert.match(refused.error?.message ?? "", /nothing listens at 127\.0\.0\.1:1/u);
  const unknown = await attempt({ ...endpoint, baseUrl: "http://no-such-host.invalid/v1" });
  assert.equal(unknown.error?.kind, "network");
  const odd = await attempt({ ...endpoint, baseUrl: deaf.url });
  assert.equal(odd.error?.kind, "network");
  const wrong = await attempt({ ...endpoint, baseUrl: "ftp://x" });
  assert.equal(wrong.error?.kind, "invalid_request");
});

test("plain requests use HTTP_PROXY, except those to this machine and to NO_PROXY hosts", async () => {
  await using server = await startModelServer(answered);
  await using proxy = await startProxy();
  const proxyEnv = { HTTP_PROXY: proxy.url.replace("//", "//user:pass@"), NO_PROXY: "internal.example" };
  const away = `http://model.example:${server.port}/v1`;
  assert.equal((await attempt({ ...endpoint, baseUrl: away }, {}, { http: { proxyEnv } })).text, "hi");
  assert.deepEqual(proxy.asked, [`${away}/chat/completions`]);
  assert.deepEqual(proxy.authorizations, [`Basic ${btoa("user:pass")}`]);
  assert.equal((await attempt({ ...endpoint, baseUrl: server.url }, {}, { http: { proxyEnv } })).text, "hi");
  const direct = await attempt({ ...endpoint, baseUrl: "http://internal.example:1/v1" }, {}, { http: { proxyEnv } });
  assert.equal(direct.error?.kind, "network");
  assert.equal(proxy.asked.length, 1);
});

test("a proxy that cannot be used is an error, never a direct connection", async () => {
  await using server = await startModelServer(answered);
  const baseUrl = `http://model.example:${server.port}/v1`;
  const socks = await attempt(
    { ...endpoint, baseUrl },
    {},
    { http: { proxyEnv: { ALL_PROXY: "socks5://127.0.0.1:1" } } },
  );
  assert.match(socks.error?.message ?? "", /socks5:\/\/ are not supported/u);
  const removed = { proxyEnv: { HTTPS_PROXY: "127.0.0.1:1" } };
  const unreachable = await attempt({ ...endpoint, baseUrl: "https://model.example/v1" }, {}, { http: removed });
  assert.match(unreachable.error?.message ?? "", /no connection to model\.example: the proxy cannot be reached/u);
});

test(
  "encrypted requests are tunnelled through HTTPS_PROXY; a proxy that hangs or refuses is noticed",
  { skip: withoutOpenssl },
  async () => {
    const tls = certificates();
    await using server = await startSecure(tls, "tunnelled");
    await using proxy = await startProxy();
    const baseUrl = `https://model.example:${server.port}/v1`;
    const http = { proxyEnv: { HTTPS_PROXY: proxy.url }, caFiles: [tls.caFile] };
    assert.equal((await attempt({ ...endpoint, baseUrl }, {}, { http })).text, "tunnelled");
    assert.deepEqual(proxy.asked, [`model.example:${server.port}`]);
    assert.ok(!JSON.stringify([proxy.asked, proxy.authorizations]).includes(endpoint.key));

    await using refusing = await startProxy({ refuse: true });
    const refused = { proxyEnv: { HTTPS_PROXY: refusing.url }, caFiles: [tls.caFile] };
    assert.equal((await attempt({ ...endpoint, baseUrl }, {}, { http: refused })).error?.kind, "network");

    await using hanging = await startProxy({ hang: true });
    const hung = { proxyEnv: { HTTPS_PROXY: hanging.url }, caFiles: [tls.caFile] };
    const timeouts = { connectMs: 200 };
    const late = await attempt({ ...endpoint, baseUrl, timeouts }, {}, { http: hung });
    assert.match(late.error?.message ?? "", /no connection to model\.example:\d+ within 200 ms/u);
    const stopped = await attempt({ ...endpoint, baseUrl }, {}, { http: hung, signal: AbortSignal.timeout(100) });
    assert.equal(stopped.error?.kind, "aborted");
    while (hanging.openConnections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  },
);

test(
  "a custom certificate authority is trusted when it is configured, and otherwise a hint says how",
  { skip: withoutOpenssl },
  async () => {
    const tls = certificates();
    await using server = await startSecure(tls, "secure");
    const baseUrl = `https://localhost:${server.port}/v1`;
    const strange = await attempt({ ...endpoint, baseUrl });
    assert.equal(strange.error?.kind, "certificate");
    assert.match(strange.error?.message ?? "", /NODE_EXTRA_CA_CERTS or SSL_CERT_FILE/u);
    assert.equal((await attempt({ ...endpoint, baseUrl }, {}, { http: { caFiles: [tls.caFile] } })).text, "secure");
    const missing = await attempt({ ...endpoint, baseUrl }, {}, { http: { caFiles: ["/nowhere/ca.pem"] } });
    assert.match(missing.error?.message ?? "", /\/nowhere\/ca\.pem cannot be read/u);
  },
);

// ── servers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

async function startRaw(serve: (socket: Socket) => void): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function startSecure(tls: Certificates, text: string): Promise<Listening> {
  const server = createSecureServer({ key: tls.key, cert: tls.cert }, (_request, response) => {
    response.end(JSON.stringify({ choices: [{ message: { content: text }, finish_reason: "stop" }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/v1`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Certificates {
  readonly key: Buffer;
  readonly cert: Buffer;
  readonly caFile: string;
}

/** A self-signed certificate for the names that the tests use. */
function certificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "wire-tls-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const [keyFile, caFile] = [join(folder, "key.pem"), join(folder, "ca.pem")];
  const names = "subjectAltName=DNS:localhost,DNS:model.example,IP:127.0.0.1";
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const to = ["-keyout", keyFile, "-out", caFile, "-subj", "/CN=test", "-addext", names];
  execFileSync(findProgram("openssl") ?? "", ["req", "-x509", ...curve, ...to], { stdio: "ignore" });
  return { key: readFileSync(keyFile), cert: readFileSync(caFile), caFile };
}

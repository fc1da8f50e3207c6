// covers: src/safety
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import type { WebRequest } from "../../src/contracts/safety/web.ts";
import { createGuardedFetch, type GuardedFetchDeps } from "../../src/safety/url/guarded-fetch.ts";
import type { UrlRules } from "../../src/safety/url/judge-url.ts";
import { missingPrograms } from "../support/system-programs.ts";

const never = new AbortController().signal;

/** Every name resolves to this machine, unless a test overrides it. */
function webFor(more: Partial<GuardedFetchDeps> & { readonly allow?: Partial<UrlRules> } = {}) {
  const requests: string[] = [];
  const web = createGuardedFetch({
    rules: async () => ({ allowPrivate: true, ...more.allow }),
    resolve: async () => ["127.0.0.1"],
    http: createHttp({ clock: systemClock }),
    clock: systemClock,
    ...more,
    ...(more.resolve && {
      resolve: (host: string, signal: AbortSignal) => (
        requests.push(host),
        more.resolve?.(host, signal) ?? Promise.resolve([])
      ),
    }),
  });
  return {
    asked: requests,
    fetch: (request: WebRequest, signal = never) => web.fetch({ timeoutMs: 60_000, ...request }, signal),
    check: web.check,
  };
}

async function serve(t: TestContext, listener: RequestListener, host = "127.0.0.1", server: Server = createServer()) {
  const requests: IncomingMessage[] = [];
  server.on("request", (request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

const text = (body: Uint8Array) => Buffer.from(body).toString();

test("a guarded fetch returns status, headers and decompressed body", async (t) => {
  const { port, requests } = await serve(t, (_, response) => {
    response.writeHead(404, { "content-encoding": "gzip", "X-One": "1" }).end(gzipSync("hello"));
  });
  const answer = await webFor().fetch({
    url: `http://a.example.org:${port}/x?y=1#z`,
    headers: { Host: "b", "X-Mine": "m" },
  });
  assert.ok(answer.ok);
  assert.deepEqual([answer.value.status, answer.value.headers["x-one"], text(answer.value.body)], [404, "1", "hello"]);
  assert.deepEqual(
    [requests[0]?.url, requests[0]?.headers.host, requests[0]?.headers["x-mine"]],
    ["/x?y=1", `a.example.org:${port}`, "m"],
  );
});

test("a response without a body is valid, even if its headers declare compression, and one that is not compressed fails", async (t) => {
  const { port } = await serve(t, (request, response) =>
    response
      .writeHead(request.url === "/204" ? 204 : 200, { "content-encoding": "gzip" })
      .end(request.url === "/plain" ? "not compressed" : ""),
  );
  for (const [path, method] of [["204"], ["200"], ["head", "HEAD"]] as const) {
    const answer = await webFor().fetch({
      url: `http://[::ffff:127.0.0.1]:${port}/${path}`,
      ...(method && { method }),
    });
    assert.equal(answer.ok ? answer.value.body.length : answer.error.message, 0);
  }
  const plain = await webFor().fetch({ url: `http://[::ffff:127.0.0.1]:${port}/plain` });
  assert.match(plain.ok ? "" : plain.error.message, /sent a compressed response that cannot be read/u);
});

test("a host name is resolved once, and the connection uses that address even if the name changes", async (t) => {
  const first = await serve(t, (_, response) => response.end("first"));
  const other = await serve(t, (_, response) => response.end("other"), "127.0.0.2");
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  const web = webFor({ resolve: async () => answers.shift() ?? [] });
  const answer = await web.fetch({ url: `http://rebind.example.org:${first.port}/` });
  assert.equal(answer.ok && text(answer.value.body), "first");
  assert.deepEqual([web.asked, other.requests.length], [["rebind.example.org"], 0]);
});

test("private targets are refused before anything is sent: by address, by name and by any address of a name", async (t) => {
  const { port, requests } = await serve(t, (_, response) => response.end());
  const web = webFor({ allow: { allowPrivate: false }, resolve: async () => ["93.184.216.34", "127.0.0.1"] });
  for (const host of ["127.0.0.1", "0x7f.1", "[::ffff:127.0.0.1]", "localhost", "mixed.example.org"]) {
    const answer = await web.fetch({ url: `http://${host}:${port}/` });
    assert.equal(answer.ok ? "" : answer.error.kind, "blocked", host);
  }
  assert.deepEqual([web.asked, requests.length], [["mixed.example.org"], 0]);
});

test("connections of other protocols get checked addresses, under the same rules", async () => {
  const web = webFor({
    allow: { allowPrivate: false },
    resolve: async (host) => {
      if (host === "unknown.example.org") throw new Error("ENOTFOUND");
      return host === "private.example.org" ? ["10.0.0.7"] : ["93.184.216.34"];
    },
  });
  const check = async (url: string, trustedOrigin?: string) => {
    const checked = await web.check({ url, ...(trustedOrigin !== undefined && { trustedOrigin }) }, never);
    return checked.ok ? checked.value : checked.error.kind;
  };
  assert.deepEqual(await check("https://public.example.org/"), ["93.184.216.34"]);
  assert.equal(await check("https://private.example.org/"), "blocked");
  assert.equal(await check("https://private.example.org/", "https://public.example.org"), "blocked");
  assert.deepEqual(await check("https://private.example.org/", "https://private.example.org"), ["10.0.0.7"]);
  assert.equal(await check("http://169.254.169.254/"), "blocked");
  assert.equal(await check("https://unknown.example.org/"), "unreachable");
});

test("an origin in the settings may be private; its redirects to other private origins are refused", async (t) => {
  const other = await serve(t, (_, response) => response.end("other"), "127.0.0.2");
  const { port } = await serve(t, (request, response) => {
    if (request.url === "/out") response.writeHead(302, { location: `http://127.0.0.2:${other.port}/` }).end();
    else if (request.url === "/in") response.writeHead(302, { location: "/" }).end();
    else response.end("own");
  });
  const web = webFor({ allow: { allowPrivate: false } });
  const trustedOrigin = `http://127.0.0.1:${port}`;
  const answer = await web.fetch({ url: `${trustedOrigin}/in`, trustedOrigin });
  assert.equal(answer.ok && text(answer.value.body), "own");
  for (const request of [{ url: `${trustedOrigin}/out`, trustedOrigin }, { url: `${trustedOrigin}/` }]) {
    const refused = await web.fetch(request);
    assert.equal(refused.ok ? "" : refused.error.kind, "blocked");
  }
  assert.equal(other.requests.length, 0);
});

test("every redirect target of a guarded fetch is checked again", async (t) => {
  const targets = [
    ["http://169.254.169.254/latest/", "//[fd00:ec2::254]/", "http://metadata.google.internal/", "file:///etc/passwd"],
    ["http://listed.example.org/", "http://user:word@a.example.org/", "http://", "http://turns.example.org/"],
  ].flat();
  const { port } = await serve(t, (request, response) =>
    response.writeHead(302, { location: targets[Number(request.url?.slice(1))] ?? "/" }).end(),
  );
  const web = webFor({
    allow: { blockedBy: (host) => (host === "listed.example.org" ? "listed" : undefined) },
    resolve: async (host) => [host === "turns.example.org" ? "169.254.169.254" : "127.0.0.1"],
  });
  for (const [index, target] of targets.entries()) {
    const answer = await web.fetch({ url: `http://a.example.org:${port}/${index}` });
    assert.equal(answer.ok ? "" : answer.error.kind, "blocked", target);
  }
});

test("redirects are followed as browsers do, and a loop ends", async (t) => {
  const { port, requests } = await serve(t, (request, response) => {
    const status = Number(request.url?.slice(1));
    if (status > 0) response.writeHead(status, { location: "/ende-ü" }).end("moved");
    else if (request.url === "/loop") response.writeHead(302, { location: "/loop" }).end();
    else response.end(request.method);
  });
  const web = webFor();
  const url = (path: string | number) => `http://a.example.org:${port}/${path}`;
  const methods = [];
  for (const status of [301, 302, 303, 307, 308]) {
    const answer = await web.fetch({ url: url(status), body: "posted" });
    methods.push(
      answer.ok ? `${text(answer.value.body)} ${answer.value.url.replace(/.*\//u, "")}` : answer.error.message,
    );
  }
  assert.deepEqual(methods, [...Array(3).fill("GET ende-%C3%BC"), ...Array(2).fill("POST ende-%C3%BC")]);
  const before = requests.length;
  const loop = await web.fetch({ url: url("loop"), maxRedirects: 3 });
  assert.deepEqual([loop.ok ? "" : loop.error.kind, requests.length - before], ["redirects", 4]);
});

test("a redirect to another host carries no identifying header and no posted data", async (t) => {
  const other = await serve(t, (_, response) => response.end("there"));
  const { port } = await serve(t, (request, response) =>
    response
      .writeHead(request.method === "POST" ? 307 : 302, { location: `http://b.example.org:${other.port}/` })
      .end(),
  );
  const headers = {
    Authorization: "Bearer x",
    Cookie: "a=b",
    "X-Api-Key": "k",
    Accept: "text/html",
    "User-Agent": "mine",
  };
  const answer = await webFor().fetch({ url: `http://a.example.org:${port}/`, headers });
  assert.equal(answer.ok && text(answer.value.body), "there");
  const got = other.requests[0]?.headers ?? {};
  assert.deepEqual(Object.keys(got).toSorted(), ["accept", "accept-encoding", "connection", "host", "user-agent"]);
  const posted = await webFor().fetch({ url: `http://a.example.org:${port}/`, body: "secret" });
  assert.deepEqual([posted.ok ? "" : posted.error.kind, other.requests.length], ["redirects", 1]);
});

test("a response body that is too long, compressed or not, or endless is an error", async (t) => {
  const packed = gzipSync(Buffer.alloc(5_000_000));
  const { port } = await serve(t, (request, response) => {
    if (request.url === "/packed") response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
    else if (request.url === "/long") response.end("x".repeat(100_000));
    else if (request.url === "/slow") response.write("some");
    else if (request.url === "/odd") response.writeHead(200, { "content-encoding": "lzma" }).end("x");
    else if (request.url === "/cut")
      response.writeHead(200, { "content-length": "100" }).write("x", () => request.socket.destroy());
  });
  const kind = async (path: string, more: Partial<WebRequest> = {}) => {
    const answer = await webFor().fetch({ url: `http://a.example.org:${port}/${path}`, maxBytes: 50_000, ...more });
    return answer.ok ? "answer" : answer.error.kind;
  };
  assert.deepEqual(
    [
      await kind("packed"),
      await kind("long"),
      await kind("slow", { timeoutMs: 200 }),
      await kind("silent", { timeoutMs: 200 }),
    ],
    ["too_large", "too_large", "timeout", "timeout"],
  );
  assert.deepEqual([await kind("odd"), await kind("cut")], ["unreachable", "unreachable"]);
});

test("an abort ends a guarded fetch, and a host that does not resolve or answer is unreachable", async (t) => {
  const { port } = await serve(t, () => {});
  const stop = new AbortController();
  const waiting = webFor().fetch({ url: `http://a.example.org:${port}/` }, stop.signal);
  setTimeout(() => stop.abort(), 50);
  const stopped = await waiting;
  assert.equal(stopped.ok ? "" : stopped.error.kind, "aborted");
  const hanging = webFor({ resolve: () => new Promise(() => {}) }).fetch({
    url: "http://a.example.org/",
    timeoutMs: 100,
  });
  const kinds = [
    await hanging,
    await webFor({ resolve: () => Promise.reject(new Error("ENOTFOUND")) }).fetch({ url: "http://a.example.org/" }),
    await webFor({ resolve: async () => [] }).fetch({ url: "http://a.example.org/" }),
    await webFor().fetch({ url: "http://a.example.org:1/" }),
    await webFor().fetch({ url: `http://a.example.org:${port}/`, headers: { "X-A": "a\r\nHost: b" } }),
  ].map((answer) => (answer.ok ? "" : answer.error.kind));
  assert.deepEqual(kinds, ["timeout", "unreachable", "blocked", "unreachable", "unreachable"]);
});

const withoutOpenssl = missingPrograms({ openssl: "openssl" });

test(
  "the certificate is checked against the name, although the connection uses an address",
  { skip: withoutOpenssl },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-tls-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=a.example.org", "-addext", "subjectAltName=DNS:a.example.org"];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
        "-keyout",
        key,
        "-out",
        cert,
        ...subject,
      ],
      { stdio: "ignore" },
    );
    const pems = { key: readFileSync(key), cert: readFileSync(cert, "utf8") };
    setDefaultCACertificates([pems.cert]);
    const server = createSecureServer(pems);
    const { port } = await serve(
      t,
      (request, response) => response.end(String(Reflect.get(request.socket, "servername"))),
      "127.0.0.1",
      server,
    );
    const right = await webFor().fetch({ url: `https://a.example.org:${port}/` });
    assert.equal(right.ok ? text(right.value.body) : right.error.message, "a.example.org");
    const wrong = await webFor().fetch({ url: `https://b.example.org:${port}/` });
    assert.match(wrong.ok ? "" : wrong.error.message, /for another host/u);

    const tunnelled: (string | undefined)[] = [];
    const proxy = createServer().on("connect", (request, socket) => {
      tunnelled.push(request.url, request.headers["proxy-authorization"]);
      const onward = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [onward, socket]) end.on("error", () => {});
    });
    const through = await serve(t, () => {}, "127.0.0.1", proxy);
    const env = { https_proxy: `http://me:word@127.0.0.1:${through.port}` };
    const web = webFor({
      http: createHttp({ clock: systemClock, proxyEnv: env }),
      resolve: () => Promise.reject(new Error("only the proxy knows")),
    });
    const answer = await web.fetch({ url: `https://a.example.org:${port}/` });
    assert.equal(answer.ok ? text(answer.value.body) : answer.error.message, "a.example.org");
    assert.deepEqual(tunnelled, [`a.example.org:${port}`, `Basic ${Buffer.from("me:word").toString("base64")}`]);
  },
);

test("behind a proxy, private addresses and names are still refused, and plain http sends the whole URL to the proxy", async (t) => {
  const { port, requests } = await serve(t, (_, response) => response.end("by proxy"));
  const web = webFor({
    allow: { allowPrivate: false },
    http: createHttp({ clock: systemClock, proxyEnv: { HTTP_PROXY: `127.0.0.1:${port}` } }),
    resolve: async () => ["93.184.216.34"],
  });
  const answer = await web.fetch({ url: "http://a.example.org/x#y" });
  assert.equal(answer.ok ? text(answer.value.body) : answer.error.message, "by proxy");
  assert.deepEqual([requests[0]?.url, requests[0]?.headers.host], ["http://a.example.org/x", "a.example.org"]);
  const inside = await web.fetch({ url: "http://10.0.0.1/" });
  assert.deepEqual([inside.ok ? "" : inside.error.kind, requests.length], ["blocked", 1]);
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { createPluginProxy } from "./plugin-proxy.ts";

/** Sends raw text to a proxy that may connect to these hosts. The proxy resolves every name to the local server. */
async function askProxy(net: readonly string[], text: (port: number) => string, address = "127.0.0.1") {
  const folder = mkdtempSync(join(tmpdir(), "hermes-proxy-"));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.headers.host} ${request.url} ${request.headers["proxy-authorization"]}`);
    response.end("hello");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  const port = typeof bound === "object" && bound ? bound.port : 0;
  const refused: string[] = [];
  const proxy = createPluginProxy({
    net: net.map((host) => host.replace("PORT", String(port))),
    onRefused: (target) => refused.push(target.replace(String(port), "PORT")),
    addressFault: (each) => (/^(?:127|10|169)\./u.test(each) ? { isMetadata: each.startsWith("169.") } : undefined),
    resolve: async () => [{ address, family: 4 }],
  });
  try {
    await proxy.listen(join(folder, "proxy"));
    const socket = connect(join(folder, "proxy"));
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.on("error", () => {});
    socket.write(text(port));
    await once(socket, "close");
    return { answer, refused, requests: requests.map((each) => each.replace(String(port), "PORT")) };
  } finally {
    proxy[Symbol.dispose]();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const get =
  (url: string, more = "") =>
  (port: number) =>
    `GET ${url.replace("PORT", String(port))} HTTP/1.1\r\nHost: other.example.com\r\nConnection: close\r\n${more}\r\n`;
const tunnel = (target: string) => (port: number) => {
  const name = target.replace("PORT", String(port));
  return `CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n\r\nGET /in HTTP/1.1\r\nHost: in\r\nConnection: close\r\n\r\n`;
};

test("the proxy connects to a permitted host, under the name that was checked", async () => {
  const header = "Proxy-Authorization: Basic x\r\n";
  const { answer, requests, refused } = await askProxy(["127.0.0.1:PORT"], get("http://127.0.0.1:PORT/a?b", header));
  assert.match(answer, /200 OK.*hello/su);
  assert.deepEqual(requests, ["GET 127.0.0.1:PORT /a?b undefined"]);
  assert.deepEqual(refused, []);
});

test("the proxy opens a tunnel to a permitted host", async () => {
  const { answer, requests } = await askProxy(["localhost:PORT"], tunnel("localhost:PORT"));
  assert.match(answer, /200 Connection Established.*hello/su);
  assert.deepEqual(requests, ["GET in /in undefined"]);
});

for (const [what, net, text, address, target] of [
  ["a foreign host", ["api.example.com"], get("http://evil.example.com/"), "1.1.1.1", "evil.example.com"],
  ["a foreign host in a tunnel", ["api.example.com"], tunnel("evil.example.com:443"), "1.1.1.1", "evil.example.com"],
  [
    "a public name with a private address",
    ["api.example.com:PORT"],
    get("http://api.example.com:PORT/"),
    "127.0.0.1",
    "api.example.com:PORT",
  ],
  ["the same in a tunnel", ["*", "*:PORT"], tunnel("api.example.com:PORT"), "10.0.0.1", "api.example.com:PORT"],
  [
    "an address of this machine under `*`",
    ["*", "*:PORT"],
    get("http://127.0.0.1:PORT/"),
    "127.0.0.1",
    "127.0.0.1:PORT",
  ],
  ["another spelling of it", ["*", "*:PORT"], get("http://0x7f.1:PORT/"), "127.0.0.1", "127.0.0.1:PORT"],
  [
    "a metadata service, also when it is named",
    ["169.254.169.254"],
    get("http://169.254.169.254/"),
    "169.254.169.254",
    "169.254.169.254",
  ],
  ["a port that was not named", ["api.example.com"], tunnel("api.example.com:22"), "1.1.1.1", "api.example.com:22"],
] as const)
  test(`${what} is refused and reported`, async () => {
    const outcome = await askProxy(net, text, address);
    assert.match(outcome.answer, /^HTTP\/1\.1 403 /u);
    assert.deepEqual(outcome.refused, [target]);
    assert.deepEqual(outcome.requests, []);
  });

test("the proxy answers text that is not a proxy request with a client error", async () => {
  assert.match((await askProxy(["*"], get("/path"))).answer, /^HTTP\/1\.1 400/u);
  assert.match((await askProxy(["*"], get("ftp://a/"))).answer, /^HTTP\/1\.1 400/u);
  assert.match((await askProxy(["*"], () => "rubbish\r\n\r\n")).answer, /^HTTP\/1\.1 400/u);
});

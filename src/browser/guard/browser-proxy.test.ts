import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";

import { startBrowserProxy } from "./browser-proxy.ts";
import { type GuardRefusal, isShownLocally, portFault, type UrlGuard } from "./url-guard.ts";

/** Public names resolve to the local server; `rebind.example` only the first time. */
function fakeGuard(): UrlGuard {
  let lookups = 0;
  return {
    faultOf: async (url) => (url.includes("169.254") ? "it is a metadata service" : undefined),
    async addressesOf({ hostname }) {
      if (hostname === "nowhere.example") return { ok: false, isRefused: false, reason: "it has no address" };
      const isRefused = hostname === "private.example" || (hostname === "rebind.example" && lookups++ > 0);
      if (isRefused) return { ok: false, isRefused, reason: "it leads to a private address" };
      return { ok: true, addresses: [{ address: "127.0.0.1", family: 4 }] };
    },
  };
}

/** The response of the proxy to raw text; `PORT` is the port of a local server, `AUTH` the credential. */
async function askBrowserProxy(...texts: readonly string[]) {
  const hosts: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    hosts.push(headers.host?.replace(/:\d+$/u, ""), headers["proxy-authorization"]);
    response.end("hello");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  const port = typeof bound === "object" && bound ? bound.port : 0;
  const refusals: GuardRefusal[] = [];
  using proxy = await startBrowserProxy(fakeGuard());
  using admission = proxy.admit((refusal) => refusals.push(refusal));
  const credential = Buffer.from(`${admission.username}:${admission.password}`).toString("base64");
  const answers: string[] = [];
  for (const text of texts) {
    const socket = connect(proxy.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.on("error", () => {});
    socket.write(text.replaceAll("PORT", String(port)).replaceAll("AUTH", `Proxy-Authorization: Basic ${credential}`));
    await once(socket, "close");
    answers.push(answer);
  }
  server.closeAllConnections();
  server.close();
  return {
    answers,
    hosts,
    refusals: refusals.map(({ url, reason }) => `${url.replace(String(port), "PORT")}: ${reason}`),
  };
}

const get = (url: string, auth = "AUTH") => `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}\r\n\r\n`;
const tunnel = (target: string) =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nAUTH\r\n\r\nGET /in HTTP/1.1\r\nHost: in\r\nConnection: close\r\n\r\n`;

test("only an admitted browser is served, and its credential does not leave the proxy", async () => {
  const url = "http://site.example:PORT/";
  const { answers, hosts } = await askBrowserProxy(
    get(url, "X-Other: 1"),
    get(url, "Proxy-Authorization: Basic eDp5"),
    get(url),
  );
  assert.match(answers[0] ?? "", /^HTTP\/1\.1 407 .*Proxy-Authenticate: Basic/su);
  assert.match(answers[1] ?? "", /^HTTP\/1\.1 407 /u);
  assert.match(answers[2] ?? "", /200 OK.*hello/su);
  assert.deepEqual(hosts, ["site.example", undefined]);
});

test("private and metadata addresses, names that change, and other ports are refused and reported", async () => {
  const { answers, refusals } = await askBrowserProxy(
    get("http://169.254.169.254/latest"),
    tunnel("private.example:443"),
    tunnel("rebind.example:PORT"),
    tunnel("rebind.example:PORT"),
    tunnel("site.example:22"),
    get("http://nowhere.example/"),
  );
  const statuses = answers.map((answer) => /^HTTP\/1\.1 (\d+)/u.exec(answer)?.[1]);
  assert.deepEqual(statuses, ["403", "403", "200", "403", "403", "502"]);
  assert.deepEqual(refusals, [
    "http://169.254.169.254/latest: it is a metadata service",
    "https://private.example: it leads to a private address",
    "https://rebind.example:PORT: it leads to a private address",
    "https://site.example:22: port 22 is not a port of web servers",
  ]);
});

test("ports of web servers are allowed; a page that made no request is shown without a check", () => {
  assert.deepEqual([80, 443, 3000, 8080, 65_535].map(portFault), Array(5).fill(undefined));
  for (const port of [22, 25, 53, 5432, 6379]) assert.match(portFault(port) ?? "", /not a port/u);
  for (const url of ["about:blank", "data:text/html,x", "blob:https://a.example/1"]) assert.ok(isShownLocally(url));
  for (const url of ["file:///etc/passwd", "chrome://settings", "view-source:http://a.example/", "about:version"])
    assert.ok(!isShownLocally(url));
});

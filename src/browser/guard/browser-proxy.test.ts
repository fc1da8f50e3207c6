import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";

import { startProxy } from "../../../test/support/wire-servers/proxy-server.ts";
import { err, ok } from "../../base/result.ts";
import { type BrowserUpstream, startBrowserProxy } from "./browser-proxy.ts";
import { type GuardRefusal, isShownLocally, portFault, type UrlGuard } from "./url-guard.ts";

/** Public names resolve to the local server; `rebind.example` does so only the first time. */
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

/**
 * Sends raw text to the proxy and returns the response. `PORT` is replaced by the port of a local server, `AUTH` by
 * the credential.
 */
async function askBrowserProxy(...texts: readonly string[]) {
  return askThrough(undefined, ...texts);
}

async function askThrough(upstream: BrowserUpstream | undefined, ...texts: readonly string[]) {
  const hosts: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    hosts.push(headers.host?.replace(/:\d+$/u, ""), headers["proxy-authorization"]);
    response.end("hello");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  const port = typeof bound === "object" && bound ? bound.port : 0;
  const refusals: GuardRefusal[] = [];
  using proxy = await startBrowserProxy(fakeGuard(), upstream);
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
    port: String(port),
    refusals: refusals.map(({ url, reason }) => `${url.replace(String(port), "PORT")}: ${reason}`),
  };
}

const get = (url: string, auth = "AUTH") => `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}\r\n\r\n`;
const tunnel = (target: string) =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nAUTH\r\n\r\nGET /in HTTP/1.1\r\nHost: in\r\nConnection: close\r\n\r\n`;

test("the proxy serves only admitted browsers, and their credential does not leave the proxy", async () => {
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

test("the proxy refuses and reports private and metadata addresses, names that change, and other ports", async () => {
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

test("the proxy allows ports of web servers, and pages without a request are shown without a check", () => {
  assert.deepEqual([80, 443, 3000, 8080, 65_535].map(portFault), Array(5).fill(undefined));
  for (const port of [22, 25, 53, 5432, 6379]) assert.match(portFault(port) ?? "", /not a port/u);
  for (const url of ["about:blank", "data:text/html,x", "blob:https://a.example/1"]) assert.ok(isShownLocally(url));
  for (const url of ["file:///etc/passwd", "chrome://settings", "view-source:http://a.example/", "about:version"])
    assert.ok(!isShownLocally(url));
});

test("the user's proxy gets the checked address, or the host name if the settings say so", async () => {
  const texts = [tunnel("site.example:PORT"), get("http://site.example:PORT/a"), tunnel("private.example:PORT")];
  for (const isByName of [false, true]) {
    await using other = await startProxy();
    const upstream = { proxyFor: () => ok(new URL(other.url.replace("//", "//ann:pass@"))), isByName };
    const { answers, hosts, port, refusals } = await askThrough(upstream, ...texts);
    assert.match(answers[0] ?? "", /200 Connection Established.*hello/su);
    assert.match(answers[1] ?? "", /200 OK.*hello/su);
    assert.match(answers[2] ?? "", /^HTTP\/1\.1 403 /u);
    assert.deepEqual(refusals, ["https://private.example:PORT: it leads to a private address"]);
    const targets = isByName ? ["site.example:PORT", "http://site.example:PORT/a"] : Array(2).fill("127.0.0.1:PORT");
    assert.deepEqual(
      other.asked.map((each) => each.replace(port, "PORT")),
      targets,
    );
    assert.deepEqual(new Set(other.authorizations), new Set([`Basic ${btoa("ann:pass")}`]));
    // The server sees the host name and no proxy credential.
    assert.deepEqual(hosts.slice(2), ["site.example", isByName ? other.authorizations[1] : undefined]);
  }
});

test("a user's proxy that refuses or is invalid is reported and never leads to a direct connection", async () => {
  await using other = await startProxy({ refuse: true });
  const url = new URL(other.url);
  const texts = [tunnel("site.example:PORT"), get("http://site.example:PORT/")];
  const refused = await askThrough({ proxyFor: () => ok(url), isByName: false }, ...texts);
  assert.match(
    refused.refusals[0] ?? "",
    /^https:\/\/site.example:PORT: the proxy refuses \(status 403\).*proxy_by_name/u,
  );
  const unknown = await askThrough({ proxyFor: () => ok(url), isByName: false }, tunnel("nowhere.example:PORT"));
  assert.match(unknown.refusals[0] ?? "", /it has no address \(.*proxy_by_name/u);
  const invalid = await askThrough({ proxyFor: () => err("ALL_PROXY: socks"), isByName: false }, ...texts);
  assert.match(invalid.refusals[0] ?? "", /ALL_PROXY: socks/u);
  assert.deepEqual([...refused.hosts, ...unknown.hosts, ...invalid.hosts], []);
  for (const answer of [...refused.answers, ...unknown.answers]) assert.match(answer, /^HTTP\/1\.1 502 /u);
});

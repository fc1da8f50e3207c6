import assert from "node:assert/strict";
import { test } from "node:test";

import { proxyFor, type ProxyEnv } from "./http-client.ts";

function proxyOf(address: string, env: ProxyEnv): string | undefined {
  const result = proxyFor(new URL(address), env);
  return result.ok ? result.value?.href : result.error;
}

test("each URL scheme has its proxy variable, lower case first, and ALL_PROXY is the fallback", () => {
  const env = { HTTP_PROXY: "http://plain:1", https_proxy: "secure:2", HTTPS_PROXY: "http://other:3" };
  assert.equal(proxyOf("http://a.example", env), "http://plain:1/");
  assert.equal(proxyOf("https://a.example", env), "http://secure:2/");
  assert.equal(proxyOf("https://a.example", { ALL_PROXY: "https://all:4" }), "https://all:4/");
  assert.equal(proxyOf("https://a.example", { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: " " }), undefined);
  assert.equal(proxyOf("https://a.example", {}), undefined);
});

test("requests to this machine never use a proxy", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.8.8", "[::1]"])
    assert.equal(proxyOf(`http://${host}:11434`, { ALL_PROXY: "http://p:1" }), undefined);
  assert.notEqual(proxyOf("http://127.0.0.1.example", { ALL_PROXY: "http://p:1" }), undefined);
});

test("NO_PROXY supports names, subdomains, ports, addresses and networks", () => {
  const isDirect = (address: string, NO_PROXY: string): boolean =>
    proxyOf(address, { ALL_PROXY: "http://p:1", NO_PROXY }) === undefined;
  for (const [address, list] of [
    ["https://a.example", "*"],
    ["https://a.example", "b.example, a.example"],
    ["https://x.a.example", "a.example"],
    ["https://x.a.example", ".a.example"],
    ["https://x.A.example", "*.a.EXAMPLE"],
    ["https://a.example", "a.example:443"],
    ["http://a.example:8080", "a.example:8080"],
    ["http://10.1.2.3", "10.0.0.0/8"],
    ["http://10.1.2.3", "10.1.2.3"],
    ["http://[fd00::5]", "fd00::/8"],
    ["http://[fd00::5]", "[fd00::5]"],
    ["http://[fd00::5]", "fd00::5"],
  ] as const)
    assert.ok(isDirect(address, list), `${address} ${list}`);
  for (const [address, list] of [
    ["https://a.example", ""],
    ["https://bada.example", "a.example"],
    ["https://a.example", "a.example:80"],
    ["http://11.1.2.3", "10.0.0.0/8"],
    ["http://a.example", "10.0.0.0/99, /, :, ,"],
  ] as const)
    assert.ok(!isDirect(address, list), `${address} ${list}`);
});

test("an invalid proxy setting is an error, never a direct connection", () => {
  assert.match(proxyOf("https://a.example", { HTTPS_PROXY: "socks5://x:1" }) ?? "", /not supported/u);
  assert.match(proxyOf("https://a.example", { HTTPS_PROXY: "http://" }) ?? "", /not the address/u);
  assert.match(proxyOf("https://a.example", { ALL_PROXY: "socks5://x:1" }) ?? "", /^ALL_PROXY: /u);
});

test("requests to a cloud metadata service never use a proxy", () => {
  for (const host of ["169.254.169.254", "169.254.170.2", "[fd00:ec2::254]"])
    assert.equal(proxyOf(`http://${host}/latest`, { ALL_PROXY: "http://p:1" }), undefined);
  assert.notEqual(proxyOf("http://169.254.example", { ALL_PROXY: "http://p:1" }), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { proxyFor } from "./proxy-for.ts";

function proxyOf(url: string, env: Readonly<Record<string, string>>): string | undefined {
  return proxyFor(env)(new URL(url))?.host;
}

test("the scheme chooses the variable, small letters first, and what is empty is not set", () => {
  const env = {
    https_proxy: "http://one:3128",
    HTTPS_PROXY: "http://two:3128",
    HTTP_PROXY: "three:8080",
    ALL_PROXY: "http://four:1",
  };
  assert.equal(proxyOf("https://example.com/", env), "one:3128");
  assert.equal(proxyOf("http://example.com/", env), "three:8080");
  assert.equal(proxyOf("http://example.com/", { http_proxy: "", ALL_PROXY: "http://four:1" }), "four:1");
  assert.equal(proxyOf("https://example.com/", { http_proxy: "http://three:1" }), undefined);
});

test("no_proxy names hosts with all below them, or one port, or everything", () => {
  const env = (no_proxy: string) => ({ https_proxy: "http://one:3128", no_proxy });
  for (const rule of ["example.com", ".example.com", "*.example.com", "a, b.org,EXAMPLE.com", "*", "example.com:443"])
    assert.equal(proxyOf("https://api.example.com/", env(rule)), undefined, rule);
  for (const rule of ["", "ample.com", "example.com:8443", "example.org", ","])
    assert.equal(proxyOf("https://api.example.com/", env(rule)), "one:3128", rule);
});

test("a proxy of another kind stops the request", () => {
  assert.throws(() => proxyOf("https://example.com/", { https_proxy: "socks5://one:1080" }));
});

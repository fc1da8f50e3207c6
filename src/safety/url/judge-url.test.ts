import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertFails } from "../../../test/support/failure.ts";
import { addressFault } from "./address.ts";
import { checkUrlLine } from "./check-lines.ts";
import { judgeRedirect, judgeUrl } from "./judge-url.ts";
import { siteList } from "./site-list.ts";

const strict = { allowPrivate: false };

function verdict(url: string, resolve?: Readonly<Record<string, readonly string[]>>): string {
  return judgeUrl(url, strict, resolve && ((host) => resolve[host] ?? [])).verdict;
}

test("every spelling of a private address is recognised", () => {
  for (const host of [
    ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "0"],
    ["127.0.0.1.", "１２７.０.０.１", "127。0。0。1", "%31%32%37.0.0.1", "10.1", "192.168.257", "172.31.255.255"],
    ["169.254.169.254", "0xa9fea9fe", "2852039166", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255"],
    [
      "[::1]",
      "[::]",
      "[0:0:0:0:0:0:0:1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "[::127.0.0.1]",
      "[::ffff:0:a00:1]",
    ],
    ["[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]"],
    ["[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[fc00::1]", "[ff02::1]"],
    ["[2001:db8::1]", "[100::1]", "[5f00::1]", "localhost", "LOCALHOST.", "a.localhost", "ip6-localhost", "redis"],
    ["metadata.google.internal", "metadata.goog.", "x.internal", "nas.local", "router.lan", "app.localtest.me"],
    ["10.0.0.1.nip.io", "a-127-0-0-1.sslip.io", "7f000001.nip.io", "--1.sslip.io"],
  ].flat()) {
    assert.equal(verdict(`http://${host}/x`), "block", host);
  }
});

test("public addresses and names are allowed", () => {
  for (const url of [
    "https://example.com/",
    "http://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[64:ff9b::808:808]/",
    "http://[2002:808:808::1]/",
    "https://8.8.8.8.nip.io/",
    "https://172.32.0.1/",
    "https://100.63.0.1/",
    "https://xn--bcher-kva.example.org/?q=token&tokens=3&author=x&page=2#token",
    "https://api.example.com:8443/a/b?sort=signature",
  ]) {
    assert.equal(verdict(url), "allow", url);
  }
});

test("a URL that is invalid, is not http or contains a secret is blocked", () => {
  for (const url of [
    ["file:///etc/passwd", "ftp://example.com/", "gopher://example.com/", "javascript:alert(1)", "data:text/plain,x"],
    ["example.com", "", "http://", "http://exa mple.com/", "http://[fe80::1%25eth0]/", "http:///"],
    ["https://user@example.com/", "https://user:pass@example.com/", "https://example.com@127.0.0.1/"],
    ["https://example.com/?token=abc", "https://example.com/?X-Amz-Signature=1", "https://example.com/?API-Key=1"],
    ["http://127.0.0.1../", `https://${"a".repeat(64)}.org/`, `https://example.com/${"a".repeat(70_000)}`],
    ["https://example.com/#access_token=abc", `https://example.com/ghp_${"a1".repeat(18)}`],
  ].flat()) {
    assert.equal(verdict(url), "block", url);
  }
});

test("a parameter counts as secret by its name, or by its value if the name is unclear", () => {
  for (const query of [
    ["accessToken=abc", "clientSecret=xyz", "x-api-key=1a", "user[password]=hunter2", "bearer=abcdef", "pass=b123"],
    ["key=AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "next=https%3A%2F%2Fexample.org%2F%3Ftoken%3Dabc"],
    ["q=%2567hp_16C7e42F292c6912E7710c838347Ae178B4a"],
    ["a=1;token=abc", "a=1&b=2;password=hunter2;c=3", "x=1;api_key=abcd", "a;token=abc", "sig=Zx9k2LmQ7", "sig=abc%3D"],
  ].flat())
    assert.equal(verdict(`https://example.com/?${query}`), "block", query);
  for (const query of [
    ["pageToken=CAUQAA", "max_tokens=100", "key=value", "secret=false", "token=", "apikeys=list", "code=200"],
    ["signature=false", "api_key=YOUR_API_KEY", "token=<token>", "access_token=${TOKEN}", "password={password}"],
    ["sig=1", "sig=api-machinery", "sig=rsa-sha256", "sig=none", "sig=v4", "a=1;b=2;c=3", "q=a;b", "style=a:b;c:d"],
    ["token_type=bearer", "redirect=http%3A%2F%2Flocalhost%2F", "authuser=0", "session=morning", "show_password=true"],
  ].flat())
    assert.equal(verdict(`https://example.com/?${query}`), "allow", query);
  assert.equal(verdict("https://example.com/using-sk-learn-pipelines-for-fun-1234abcd5678"), "allow");
  assert.equal(verdict("https://medium.com/@user/post"), "allow");
  assert.equal(verdict("https://example.com/app;token=abc/page"), "block");
  assert.equal(verdict("https://example.com/map;zoom=3;layer=roads"), "allow");
});

test("a URL that clients parse differently is blocked, as is one that any client interprets as private", () => {
  for (const url of [
    ["http://example.com\\@127.0.0.1/", "http://exam\nple.com/", "https://example.com/\r\nHost: a"],
    ["http://010.0.0.1/", "http://0127.0.0.1/", "http://[2a00:1450::5efe:10.0.0.1]/"],
  ].flat())
    assert.equal(verdict(url), "block", url);
  for (const url of ["  https://example.com/\n", "https:\\\\example.com\\docs", "http://8.8.8.010/"])
    assert.equal(verdict(url), "allow", url);
});

test("cluster names, rebinding services and address services are judged by their targets", () => {
  for (const host of [
    ["kubernetes.default.svc", "vault.service.consul", "api.metadata.cloud.ibm.com", "a.test", "foo.ddev.site"],
    ["7f000001.08080808.rbndr.us", "0x7f000001.nip.io", "127-0-0-1.my.local-ip.co", "10.0.0.1.a.sslip.io"],
  ].flat())
    assert.equal(verdict(`http://${host}/`), "block", host);
  assert.equal(verdict("http://a.test/", { "a.test": ["93.184.216.34"] }), "allow");
  assert.equal(verdict("http://127.0.0.1.nip.io/", { "127.0.0.1.nip.io": ["93.184.216.34"] }), "block");
  assert.equal(verdict("https://app.93-184-216-34.sslip.io/"), "allow");
});

test("every address of a name must be public, and a name without an address is blocked", () => {
  assert.equal(verdict("https://a.example.org/", { "a.example.org": ["93.184.216.34", "2606:2800::1"] }), "allow");
  assert.equal(verdict("https://a.example.org/", { "a.example.org": ["93.184.216.34", "10.0.0.1"] }), "block");
  assert.equal(verdict("https://a.example.org/", { "a.example.org": [] }), "block");
  assert.equal(verdict("https://a.example.org/", {}), "block");
  assert.equal(verdict("https://a.example.org/", { "a.example.org": ["not an address"] }), "block");
});

test("a redirect is checked by its target, parsed as a client would parse it", () => {
  const to = (location: string) => judgeRedirect(new URL("https://example.com/a/b"), location, strict).verdict;
  assert.deepEqual(["/c", "c?x=1", "//example.org/", "https://example.org/"].map(to), Array(4).fill("allow"));
  const inside = ["//127.0.0.1/", "http://0/", "\\\\10.0.0.1\\x", "file:///etc/passwd", "http://[::1]/", "http://"];
  assert.deepEqual(
    inside.map(to),
    inside.map(() => "block"),
  );
});

test("a server may redirect to a signed link, but a token in a link is blocked", () => {
  const to = (location: string) => judgeRedirect(new URL("https://example.com/"), location, strict).verdict;
  assert.equal(to("https://cdn.example.org/f?X-Amz-Credential=AKIAIOSFODNN7QXAMPLE&X-Amz-Signature=ab"), "allow");
  assert.equal(to("https://example.org/?access_token=abc123"), "block");
  assert.equal(to("https://user:word@example.org/"), "block");
});

test("private addresses can be allowed, but metadata services never", () => {
  const open = { allowPrivate: true };
  assert.equal(judgeUrl("http://127.0.0.1:3000/", open).verdict, "allow");
  assert.equal(judgeUrl("http://redis:6379/", open).verdict, "allow");
  for (const host of ["169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "[::ffff:169.254.1.1]", "metadata.goog"])
    assert.equal(judgeUrl(`http://${host}/`, open).verdict, "block", host);
});

test("a listed site is blocked with all its subdomains, or only its subdomains", () => {
  const blockedBy = siteList(["Example.com # mine", "*.example.org", "https://bücher.example/", ""]);
  const hosts = ["example.com", "www.example.com", "a.b.example.com.", "a.example.org", "xn--bcher-kva.example"];
  for (const host of hosts) assert.equal(judgeUrl(`https://${host}/`, { ...strict, blockedBy }).verdict, "block", host);
  for (const host of ["example.org", "notexample.com", "example.com.au"])
    assert.equal(judgeUrl(`https://${host}/`, { ...strict, blockedBy }).verdict, "allow", host);
});

test("the IPv6 form of an IPv4 address is checked as the IPv4 address", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const isPublic = addressFault(address) === undefined;
      const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
      const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const form of [`::ffff:${groups}`, `64:ff9b::${groups}`, `2002:${groups}::`, `::ffff:${address}`])
        assert.equal(addressFault(form) === undefined, isPublic, form);
      const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
      for (const host of [String(number), `0x${number.toString(16)}`, `0${number.toString(8)}`])
        assert.equal(verdict(`http://${host}/`) === "allow", isPublic, host);
    }),
  );
});

test("checking any text never throws", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.ipV6()), (text) => void verdict(text)));
  fc.assert(fc.property(fc.ipV6(), (text) => void addressFault(text)));
});

test("the response to a line has its id and a verdict, or an error", () => {
  const answer = (line: unknown) => JSON.parse(checkUrlLine(JSON.stringify(line)).line);
  const { us, ...blocked } = answer({
    id: 1,
    url: "http://a.example.org",
    resolve: { "A.example.org.": ["10.0.0.1"] },
  });
  assert.deepEqual(blocked, {
    id: 1,
    verdict: "block",
    reason: "a.example.org resolves to 10.0.0.1 is a private address",
  });
  assert.ok(us >= 0);
  assert.equal(answer({ id: 2, url: "http://example.com/", redirect_location: "//127.1/" }).verdict, "block");
  const resolve = {
    "bücher.example": ["edge.example.net"],
    "edge.example.net": ["[2606:4700::1111]"],
    "a.example.org": ["b.example.org"],
    "b.example.org": ["a.example.org"],
  };
  const judged = (more: object) => answer({ id: 2, resolve, ...more }).verdict;
  assert.equal(judged({ url: "https://xn--bcher-kva.example/" }), "allow");
  assert.equal(judged({ url: "https://a.example.org/" }), "block");
  assert.equal(judged({ url: "https://unlisted.example.org/" }), "block");
  // A host that responds has an address.
  assert.equal(judged({ url: "https://unlisted.example.org/", redirect_location: "/b" }), "allow");
  assert.equal(
    judged({ url: "https://unlisted.example.org/", redirect_location: "https://other.example.org" }),
    "block",
  );
  assert.equal(judged({ url: "http://127.0.0.1/", redirect_location: "https://xn--bcher-kva.example/" }), "block");
  assert.deepEqual(answer({ id: 3 }), { id: 3, error: "url is missing" });
  assertFails(checkUrlLine("{"), /not JSON/u);
});

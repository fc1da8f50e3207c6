import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { noPermissions } from "../contracts/plugin/manifest.ts";
import {
  absolutePattern,
  addedPermissions,
  coversPath,
  describePermissions,
  grantsOf,
  hostRule,
  mergePermissions,
  parseGrant,
  parsePermissions,
  patternBase,
} from "./permissions.ts";

function parsed(value: unknown) {
  const result = parsePermissions(value);
  assert.ok(result.ok, result.ok ? "" : result.error);
  return result.value;
}

describe("the `permissions` key of a manifest is parsed", () => {
  test("lists, single values and grants express the same permissions", () => {
    const expected = { ...noPermissions, net: ["api.example.com"], exec: true };
    assert.deepEqual(parsed({ net: ["api.example.com"], exec: true }), expected);
    assert.deepEqual(parsed({ net: "API.example.com", exec: true, read: null }), expected);
    assert.deepEqual(parsed(["net:api.example.com", "exec"]), expected);
    assert.deepEqual(parsed(undefined), noPermissions);
    assert.deepEqual(parsed(grantsOf(expected)), expected);
  });

  for (const [value, message] of [
    [{ nett: "x" }, /nett is not a permission\. Did you mean net\?/u],
    ["net", /must be an object with the keys read, write/u],
    [{ net: true }, /permissions\.net must be a string or a list/u],
    [{ net: "https://api.example.com/v1" }, /not the address of a page: api\.example\.com/u],
    [{ net: "127.0.0.1:99999" }, /port/u],
    [{ net: "10.0.0" }, /write api\.example\.com/u],
    [{ net: "a*b.com" }, /write api\.example\.com/u],
    [{ read: "notes" }, /starts with \/, ~ or \$WORKSPACE/u],
    [{ write: "~/../x" }, /cannot contain `\.\.`/u],
    [{ env: ["A B"] }, /not a valid variable name/u],
    [{ exec: "yes" }, /true or false/u],
    [{ tools: ["a b"] }, /not a valid tool name/u],
    [["nett:x"], /Did you mean net/u],
    [["net"], /net:api\.example\.com/u],
  ] as const) {
    test(`${JSON.stringify(value)} gives an error that says what to write`, () => {
      const result = parsePermissions(value);
      assert.match(result.ok ? "" : result.error, message);
    });
  }

  test("permissions are merged, additions are detected, and approval questions describe them in words", () => {
    const before = parsed({ net: "a.example.com", env: "KEY" });
    const grant = parseGrant("write:~/notes");
    assert.ok(grant.ok);
    const after = mergePermissions(before, grant.value, before);
    assert.deepEqual(addedPermissions(before, after), { ...noPermissions, write: ["~/notes"] });
    assert.deepEqual(describePermissions(after), [
      "read and change ~/notes",
      "connect to a.example.com",
      "see the variables KEY",
    ]);
    assert.deepEqual(describePermissions(noPermissions), []);
  });
});

describe("hosts", () => {
  for (const [net, host, port, isAllowed, allowsPrivate] of [
    ["api.example.com", "API.example.com.", 443, true, false],
    ["api.example.com", "api.example.com", 22, false, false],
    ["api.example.com:22", "api.example.com", 22, true, false],
    ["api.example.com:22", "api.example.com", 443, false, false],
    ["*.example.com", "a.b.example.com", 80, true, false],
    ["*.example.com", "example.com", 80, false, false],
    ["*.example.com", "evilexample.com", 80, false, false],
    ["*", "127.0.0.1", 80, true, false],
    ["*", "example.com", 22, false, false],
    ["127.0.0.1:8080", "127.0.0.1", 8080, true, true],
    ["127.0.0.1:8080", "localhost", 8080, false, false],
    ["localhost:8080", "localhost", 8080, true, true],
    ["[::1]:8080", "0:0:0:0:0:0:0:1", 8080, true, true],
    ["::1", "::1", 443, true, true],
    ["nas.local", "nas.local", 443, true, true],
  ] as const) {
    test(`${net} and ${host}:${port}`, () => {
      assert.deepEqual(hostRule([net], host, port), { isAllowed, allowsPrivate });
    });
  }
});

describe("paths", () => {
  const places = { home: "/home/a", workspace: "/project" };
  for (const [pattern, path, isCovered] of [
    ["~/notes", "/home/a/notes", true],
    ["~/notes/", "/home/a/notes/b/c.md", true],
    ["~/notes/**", "/home/a/notes", true],
    ["~/notes", "/home/a/notes2", false],
    ["~/notes/*.md", "/home/a/notes/b.md", true],
    ["~/notes/*.md", "/home/a/notes/b/c.md", false],
    ["~/notes/**/*.md", "/home/a/notes/b/c.md", true],
    ["~/notes/**/*.md", "/home/a/notes/b.md", true],
    ["$WORKSPACE/data", "/project/data/x", true],
    ["/", "/etc/passwd", true],
  ] as const) {
    test(`${pattern} and ${path}`, () => assert.equal(coversPath([pattern], path, places), isCovered));
  }

  test("a pattern has a base folder, and a pattern with $WORKSPACE is valid without a workspace", () => {
    assert.equal(patternBase(absolutePattern("~/notes/*/x", places) ?? ""), "/home/a/notes");
    assert.equal(patternBase("/*"), "/");
    assert.equal(absolutePattern("$WORKSPACE/x", { home: "/home/a" }), undefined);
  });
});

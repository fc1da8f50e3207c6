import assert from "node:assert/strict";
import { test } from "node:test";

import { isAllowedBy, parseRobots } from "./robots.ts";

function allowed(robots: string, path: string): boolean {
  return isAllowedBy(parseRobots(robots, "hermes-agent"), new URL(path, "https://example.org"));
}

test("the longest rule decides; a tie or no rule allows", () => {
  const robots = "User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /same\nAllow: /same\n";
  assert.equal(allowed(robots, "/private/x"), false);
  assert.equal(allowed(robots, "/private/open/x"), true);
  assert.equal(allowed(robots, "/same"), true);
  assert.equal(allowed(robots, "/else"), true);
  assert.equal(allowed("User-agent: *\nDisallow:\n", "/x"), true);
  assert.equal(allowed("<html>no rules</html>", "/x"), true);
});

test("a group for this program replaces the group for all; consecutive agents share their rules", () => {
  const robots = "User-agent: other\nUser-agent: Hermes-Agent\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n";
  assert.deepEqual([allowed(robots, "/a"), allowed(robots, "/b")], [false, true]);
  assert.equal(allowed("User-agent: other\nDisallow: /\n", "/a"), true);
  assert.equal(allowed("User-agent: hermes-agent\nDisallow:\nUser-agent: *\nDisallow: /\n", "/a"), true);
});

test("wildcards, end marks, comments and percent encoding are supported", () => {
  const robots =
    "\uFEFFuser-agent : *\r\ndisallow: /*.pdf$ # files\r\ndisallow: /a*b*c\r\ndisallow: /%7Ejoe\r\ndisallow: /ü\r\n";
  assert.equal(allowed(robots, "/x/y.pdf"), false);
  assert.equal(allowed(robots, "/x/y.pdf?z"), true);
  assert.equal(allowed(robots, "/a1b2c3"), false);
  assert.equal(allowed(robots, "/~joe/"), false);
  assert.equal(allowed(robots, "/%C3%BC"), false);
});

test("a pattern with many stars is matched quickly", () => {
  const robots = `User-agent: *\nDisallow: /${"*a".repeat(5_000)}b\n`;
  assert.equal(allowed(robots, `/${"a".repeat(20_000)}`), true);
});

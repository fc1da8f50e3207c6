import assert from "node:assert/strict";
import { test } from "node:test";

import { seatbeltAllowProfile, seatbeltProfile } from "./seatbelt-profile.ts";

test("the profile denies writes outside of writable folders, hides keys, and gives precedence to deeper paths", () => {
  const profile = seatbeltProfile(
    [
      { path: "/Users/a/.ssh", isFolder: true, how: "hide" },
      { path: "/Users/a/.netrc", isFolder: false, how: "hide" },
      { path: "/Users/a/project", isFolder: true, how: "write" },
      { path: "/Users/a/project/.git", isFolder: true, how: "hold" },
      { path: "/Users/a/project/.git/hooks", isFolder: true, how: "read" },
    ],
    true,
  );
  assert.deepEqual(profile.split("\n").slice(0, 3), ["(version 1)", "(allow default)", "(deny file-write*)"]);
  assert.deepEqual(profile.split("\n").slice(-7), [
    '(deny file-read* file-write* (subpath "/Users/a/.ssh"))',
    '(deny file-read* file-write* (literal "/Users/a/.netrc"))',
    '(allow file-read* file-write* (subpath "/Users/a/project"))',
    '(deny file-write-unlink (literal "/Users/a/project/.git"))',
    '(allow file-read* (subpath "/Users/a/project/.git/hooks"))',
    '(deny file-write* (subpath "/Users/a/project/.git/hooks"))',
    "",
  ]);
  assert.doesNotMatch(profile, /network/u);
});

test("without network permission the profile denies network access, and no path can escape from its quotes", () => {
  const profile = seatbeltProfile([{ path: '/a "b" \\c', isFolder: true, how: "write" }], false);
  assert.match(profile, /^\(deny network\*\)$/mu);
  assert.ok(profile.includes(String.raw`(subpath "/a \"b\" \\c")`), profile);
});

test("an allow-list profile denies everything by default, and only with a proxy it allows the loopback address", () => {
  const mounts = [{ path: "/Users/a/data", isFolder: true, how: "write" }] as const;
  const closed = seatbeltAllowProfile({ mounts, exec: false });
  assert.match(closed, /^\(version 1\)\n\(deny default\)\n/u);
  assert.match(closed, /\(deny process-fork\)/u);
  assert.match(closed, /\(allow file-read\* file-write\* \(subpath "\/Users\/a\/data"\)\)/u);
  assert.doesNotMatch(closed, /network/u);
  const open = seatbeltAllowProfile({ mounts, exec: true, proxySocket: "/x/proxy" });
  assert.match(open, /\(allow process-fork\)/u);
  assert.match(open, /\(allow network-outbound \(remote ip "localhost:\*"\) \(literal "\/x\/proxy"\)\)/u);
});

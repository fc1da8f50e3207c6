import assert from "node:assert/strict";
import { link, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";

import fc from "fast-check";

import { assertFails } from "../../test/support/failure.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { isInside } from "../base/files/path.ts";
import { ok } from "../base/result.ts";
import type { Effect } from "../contracts/tool/effect.ts";
import { createRealPaths, locate } from "./real-paths.ts";

const { signal } = new AbortController();

/** A fake remote backend that resolves every path to one below /there. */
const elsewhere = { realPath: async (path: string) => ok(`/there${path}`) };

function resolved(effects: readonly Effect[], cwd: string) {
  return createRealPaths(elsewhere).resolve(effects, { cwd, backend: "local" }, signal);
}

test("paths become absolute with every link followed, even when they do not exist yet", async () => {
  await using home = await tempHome();
  const inHome = (...parts: string[]) => join(home.path, ...parts);
  await mkdir(inHome("real", "deep"), { recursive: true });
  await symlink("real", inHome("link"));
  await symlink(inHome("real", "not-yet"), inHome("dangling"));
  await symlink("dangling", inHome("twice"));
  const rows: readonly (readonly [string, string])[] = [
    ["real/deep", inHome("real", "deep")],
    ["link/deep", inHome("real", "deep")],
    ["link/new/er.txt", inHome("real", "new", "er.txt")],
    ["dangling", inHome("real", "not-yet")],
    ["twice/x", inHome("real", "not-yet", "x")],
    ["./real/../link", inHome("real")],
    [inHome("link"), inHome("real")],
    [".", home.path],
  ];
  for (const [path, expected] of rows) {
    assert.deepEqual(await resolved([{ kind: "write", path }], home.path), {
      ok: true,
      value: [{ kind: "write", path: expected }],
    });
  }
});

test("moves and the folder of a command are resolved; other effects stay unchanged", async () => {
  await using home = await tempHome();
  await mkdir(join(home.path, "real"));
  await symlink("real", join(home.path, "link"));
  const real = join(home.path, "real");
  const network: Effect = { kind: "network", url: "https://example.org" };
  assert.deepEqual(
    await resolved(
      [
        { kind: "move", from: "link/a", to: "link/b" },
        { kind: "exec", command: "ls", cwd: "link", background: false },
        network,
      ],
      home.path,
    ),
    {
      ok: true,
      value: [
        { kind: "move", from: join(real, "a"), to: join(real, "b") },
        { kind: "exec", command: "ls", cwd: real, background: false },
        network,
      ],
    },
  );
});

test("a path through a file, in a cycle of links, too long or with NUL is rejected", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "file"), "");
  await symlink("b", join(home.path, "a"));
  await symlink("a", join(home.path, "b"));
  for (const path of ["file/x", "a", "a/x", "x".repeat(5000), "a\0b"]) {
    const result = await resolved([{ kind: "read", path }], home.path);
    assert.ok(!result.ok && result.error.invalid, path.slice(0, 20));
  }
});

test("an endless chain of links is an error", async () => {
  await using home = await tempHome();
  await symlink("grow/x", join(home.path, "grow"));
  const result = await resolved([{ kind: "read", path: "grow" }], home.path);
  assert.ok(!result.ok && result.error.invalid);
});

test("a backend resolves paths with its own file system", async () => {
  const resolver = createRealPaths(elsewhere);
  const place = { cwd: "/root", backend: "docker" };
  const effects: readonly Effect[] = [
    { kind: "write", path: "a/../b" },
    { kind: "exec", command: "ls", cwd: "/root", background: false },
  ];
  assert.deepEqual(await resolver.resolve(effects, place, signal), {
    ok: true,
    value: [
      { kind: "write", path: "/there/root/b" },
      { kind: "exec", command: "ls", cwd: "/there/root", background: false },
    ],
  });
});

test("`locate` decides by the real target whether a path is inside a folder, and gives the reason", async () => {
  await using home = await tempHome();
  const inHome = (...parts: string[]) => join(home.path, ...parts);
  await mkdir(inHome("root", "sub"), { recursive: true });
  await mkdir(inHome("rooted"));
  await writeFile(inHome("secret"), "");
  await symlink("..", inHome("root", "out"));
  await symlink("sub", inHome("root", "in"));
  await symlink(inHome("not", "yet"), inHome("root", "dangling"));
  await symlink(inHome("root"), inHome("name"));
  await link(inHome("secret"), inHome("root", "hard"));
  const rows: readonly (readonly [string, boolean])[] = [
    ["root", true],
    ["root/new/deep", true],
    ["root/in/x", true],
    ["name/x", true],
    ["root/out/root/x", true],
    ["root/hard", true],
    ["root/..", false],
    ["root/sub/../../rooted", false],
    ["rooted", false],
    ["root/out/secret", false],
    ["root/dangling", false],
    ["root/dangling/x", false],
    ["/", false],
    ["/proc/self/root/etc/passwd", false],
  ];
  for (const root of ["root", "name"])
    for (const [path, inside] of rows) {
      const result = await locate(resolve(home.path, path), inHome(root));
      assert.ok(result.ok);
      assert.equal(result.value.inside, inside, path);
    }
  const left = await locate(inHome("root/out/secret"), inHome("root"));
  assert.deepEqual(left, {
    ok: true,
    value: {
      real: inHome("secret"),
      inside: false,
      why: `${inHome("root/out/secret")} leads to ${inHome("secret")}, which is outside ${inHome("root")}`,
    },
  });
  assert.ok((await locate("/proc/self/cwd", "/")).ok);
  for (const path of ["a\0b", "x".repeat(256), "a/".repeat(3000)])
    assertFails(await locate(inHome(path), inHome("root")), /cannot contain NUL|longer than (?:255|4095) bytes/u);
});

test("for random paths, the resolved path contains no link, and a path outside the folder never counts as inside", async () => {
  await using home = await tempHome();
  const root = join(home.path, "root");
  await mkdir(join(root, "a", "b"), { recursive: true });
  await mkdir(join(home.path, "else"));
  await symlink("../..", join(root, "a", "up"));
  await symlink(join(home.path, "else"), join(root, "a", "b", "away"));
  await symlink("a/b", join(root, "short"));
  await symlink("nowhere/at/all", join(root, "dangling"));
  await symlink("loop", join(root, "loop"));
  const names = fc.constantFrom(
    "a",
    "b",
    "up",
    "away",
    "short",
    "dangling",
    "loop",
    "new",
    "..",
    ".",
    "root",
    "else",
    "",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(names, { maxLength: 8 }), async (parts) => {
      const path = `${root}/${parts.join("/")}`;
      const result = await locate(path, root);
      if (!result.ok) return;
      const { real, inside } = result.value;
      assert.equal(inside, isInside(root, real));
      assert.equal(resolve(real), real);
      const again = await locate(real, root);
      assert.ok(again.ok && again.value.real === real);
      const kernel = await realpath(resolve(path)).catch(() => undefined);
      if (kernel !== undefined) assert.equal(real, kernel);
    }),
  );
});

import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import type { Effect } from "../contracts/effect.ts";
import { realPaths } from "./real-paths.ts";

const { signal } = new AbortController();

function resolved(effects: readonly Effect[], cwd: string) {
  return realPaths.resolve(effects, { cwd, backend: "local" }, signal);
}

test("paths are absolute and through every link, also where they do not exist yet", async () => {
  await using home = await tempHome();
  const at = (...parts: string[]) => join(home.path, ...parts);
  await mkdir(at("real", "deep"), { recursive: true });
  await symlink("real", at("link"));
  await symlink(at("real", "not-yet"), at("dangling"));
  await symlink("dangling", at("twice"));
  const rows: readonly (readonly [string, string])[] = [
    ["real/deep", at("real", "deep")],
    ["link/deep", at("real", "deep")],
    ["link/new/er.txt", at("real", "new", "er.txt")],
    ["dangling", at("real", "not-yet")],
    ["twice/x", at("real", "not-yet", "x")],
    ["./real/../link", at("real")],
    [at("link"), at("real")],
    [".", home.path],
  ];
  for (const [path, expected] of rows) {
    assert.deepEqual(await resolved([{ kind: "write", path }], home.path), {
      ok: true,
      value: [{ kind: "write", path: expected }],
    });
  }
});

test("moves and the folder of a command are resolved; other effects stay as they are", async () => {
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

test("a path that cannot be is invalid: through a file, in a circle, too long, with NUL", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "file"), "");
  await symlink("b", join(home.path, "a"));
  await symlink("a", join(home.path, "b"));
  for (const path of ["file/x", "a", "a/x", "x".repeat(5000), "a\0b"]) {
    const result = await resolved([{ kind: "read", path }], home.path);
    assert.ok(!result.ok && result.error.invalid, path.slice(0, 20));
  }
});

test("links that lead nowhere for ever are given up", async () => {
  await using home = await tempHome();
  await symlink("grow/x", join(home.path, "grow"));
  const result = await resolved([{ kind: "read", path: "grow" }], home.path);
  assert.ok(!result.ok && result.error.invalid);
});

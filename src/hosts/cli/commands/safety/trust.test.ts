import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

async function house(project: string) {
  const folder = await tempHome();
  const [home, cwd] = [join(folder.path, "home"), join(folder.path, "work")];
  await mkdir(join(cwd, ".hermes"), { recursive: true });
  const file = join(cwd, ".hermes", "config.yaml");
  await writeFile(file, project);
  const run = (...args: string[]) => hermes(args, { home, cwd });
  return { home, cwd, file, run, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("trust shows the changes and refusals, and covers exactly this content", async () => {
  await using at = await house("approvals: {mode: readonly, timeout: 999}\nmcp_servers: {x: {command: evil}}\n");
  assert.equal((await at.run("config", "get", "approvals.mode")).out, "manual\n");
  for (const more of [[], ["--json"]]) {
    const unattended = await at.run("trust", ...more);
    assert.equal(unattended.code, 2);
    if (more.length === 0) assert.match(unattended.err, /approvals.mode: "manual" → "readonly"[^]*Add -y/u);
    await assert.rejects(readFile(join(at.home, "trust.json")));
  }
  const result = await at.run("trust", "-y");
  assert.match(result.out, /approvals.mode: "manual" → "readonly"/u);
  assert.match(
    result.out,
    /Not applied:\n.*approvals.timeout: 999 is looser than 300\n.*mcp_servers: a project file cannot set it/u,
  );
  assert.equal((await at.run("config", "get", "approvals.mode")).out, "readonly\n");
  assert.equal((await stat(join(at.home, "trust.json"))).mode & 0o777, process.platform === "win32" ? 0o666 : 0o600);
  await writeFile(at.file, "approvals: {mode: readonly}\n");
  assert.equal((await at.run("config", "get", "approvals.mode")).out, "manual\n");
  assert.match((await at.run("config", "check")).out, /has changed since you trusted it/u);
});

test("trust is listed and revoked", async () => {
  await using at = await house("tool_output: {max_lines: 500}\n");
  await at.run("trust", ".", "-y");
  assert.equal((await at.run("trust", "--list")).out, `${at.cwd}\n`);
  assert.match((await at.run("trust", "--revoke")).out, /is no longer trusted/u);
  assert.match((await at.run("trust", "--revoke")).out, /was not trusted/u);
  assert.equal((await at.run("config", "get", "tool_output.max_lines")).out, "2000\n");
});

test("an invalid project file cannot be trusted, and a folder without one needs no trust", async () => {
  await using at = await house("approvals: {mod: manual}\n");
  const result = await at.run("trust");
  assert.equal(result.code, 1);
  assert.match(result.err, /config.yaml:1:13: approvals.mod/u);
  await assert.rejects(readFile(join(at.home, "trust.json")));
  const empty = await hermes(["trust", at.home], { home: at.home, cwd: at.cwd });
  assert.match(empty.err, /There is no .hermes\/config.yaml/u);
});

test("when several processes trust folders at the same time, all folders are stored", async () => {
  await using at = await house("tool_output: {max_lines: 500}\n");
  const folders = Array.from({ length: 20 }, (_, index) => join(at.cwd, `p${index}`));
  for (const folder of folders) {
    await mkdir(join(folder, ".hermes"), { recursive: true });
    await writeFile(join(folder, ".hermes", "config.yaml"), "tool_output: {max_lines: 500}\n");
  }
  const result = await Promise.all(folders.map((folder) => at.run("trust", folder, "--yes")));
  assert.deepEqual(
    result.map(({ code, err }) => [code, err]),
    folders.map(() => [0, ""]),
  );
  const { folders: trustedFolders } = (await at.run("trust", "--list", "--json")).json as { folders: unknown[] };
  assert.equal(trustedFolders.length, 20);
});

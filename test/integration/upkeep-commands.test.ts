// covers: src/operations/upkeep, src/hosts/cli/commands/upkeep
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");

test("security audit reports weak settings, open files, plain-text secrets and servers, and what it could not check", async () => {
  await using temp = await tempHome();
  const home = join(temp.path, ".hermes");
  await mkdir(home, { mode: 0o700 });
  const env = { HOME: temp.path, HERMES_HOME: undefined, HTTPS_PROXY: "http://127.0.0.1:9" };
  const audit = async (...args: readonly string[]) => {
    const ran = await runProgram(join(root, "hermes"), ["security", "audit", "--json", ...args], {
      env,
      cwd: temp.path,
    });
    return { code: ran.code, ...JSON.parse(ran.stdout) };
  };
  assert.deepEqual(await audit("--fail-on", "low"), { code: 0, ok: true, findings: [], unchecked: [] });
  const servers = {
    web: { command: "npx", args: ["-y", "some-server"] },
    far: { url: "http://example.org/mcp" },
  };
  const settings = {
    approvals: { mode: "yolo" },
    providers: { lab: { base_url: "http://127.0.0.1:1", api_key: "abcdefgh12345678" } },
    mcp_servers: servers,
  };
  await writeFile(join(home, "config.yaml"), JSON.stringify(settings), { mode: 0o600 });
  await writeFile(join(home, "mcp-serve-token"), "token", { mode: 0o600 });
  await chmod(join(home, "mcp-serve-token"), 0o644);
  const report = await audit("--fail-on", "high");
  assert.equal(report.code, 1);
  const texts = report.findings
    .map(({ level, place, message }: Record<string, string>) => `${level} ${place} ${message}`)
    .join("\n");
  assert.match(texts, /^high settings approvals\.mode is yolo/mu);
  assert.match(texts, /^high .*mcp-serve-token has mode 0644/mu);
  assert.match(texts, /^moderate .*config\.yaml providers\.lab\.api_key is a secret/mu);
  assert.match(texts, /^moderate mcp web fetches the newest some-server/mu);
  assert.match(texts, /^high mcp far is reached without encryption/mu);
  assert.match(report.unchecked.join(), /^some-server: /u, "without a network it says so");
  assert.ok(!JSON.stringify(report).includes("abcdefgh12345678"));
  assert.equal((await audit("--skip-mcp")).code, 0, "by default only critical findings fail");
});

test("uninstall lists what it removes, keeps the data, and deletes it only with --full", async () => {
  await using temp = await tempHome();
  const home = join(temp.path, ".hermes");
  const env = { HOME: temp.path, HERMES_HOME: undefined, XDG_DATA_HOME: undefined, XDG_CONFIG_HOME: undefined };
  const hermes = (...args: readonly string[]) => runProgram(join(root, "hermes"), [...args], { env, cwd: temp.path });
  assert.equal((await hermes("profile", "create", "office")).code, 0);
  assert.equal((await hermes("setup", "completion", "--completion", "fish")).code, 0);
  const completion = join(temp.path, ".config", "fish", "completions", "hermes.fish");
  const link = join(temp.path, ".local", "bin", "hermes");
  await symlink(join(root, "hermes"), link);
  assert.ok(existsSync(completion));
  const alias = join(temp.path, ".local", "bin", "office");
  const foreign = join(temp.path, ".local", "bin", "foreign");
  await writeFile(foreign, "#!/bin/sh\n");
  assert.equal((await hermes("uninstall")).code, 2, "without a terminal it needs --yes");
  assert.ok(existsSync(alias));
  const removed = await hermes("uninstall", "--yes");
  assert.equal(removed.code, 0, removed.stderr);
  assert.match(removed.stderr, /removes .*bin\/office/u);
  assert.match(removed.stderr, /stays .*\.hermes \(your data\)/u);
  assert.ok(!existsSync(alias) && existsSync(foreign) && existsSync(home));
  assert.ok(!existsSync(completion) && !existsSync(link) && existsSync(join(root, "hermes")));
  await writeFile(join(home, "state.db"), "of the Python version");
  assert.equal((await hermes("uninstall", "--full", "--yes")).code, 1, "files of the Python version are never deleted");
  await runProgram("rm", [join(home, "state.db")]);
  assert.equal((await hermes("uninstall", "--full", "--yes")).code, 0);
  assert.ok(!existsSync(home) && existsSync(foreign));
});

import assert from "node:assert/strict";
import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { eventually } from "../../../../../test/support/eventually.ts";
import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

const line = (event: string, level = "info", more = {}) =>
  `${JSON.stringify({ at: new Date().toISOString(), level, event, ...more })}\n`;

test("logs shows the newest lines of all rotated files and filters them", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "logs");
  await mkdir(folder);
  await writeFile(join(folder, "hermes.1.jsonl"), line("tool.crashed", "error", { session: "s-1" }));
  await writeFile(
    join(folder, "hermes.jsonl"),
    line("mcp.started") + line("model.failed", "warn", { bad: "\u001b[31m" }),
  );
  await writeFile(join(folder, "gateway.log"), "2026-01-01 00:00:00,000 INFO gateway: up\n");
  const run = (...args: string[]) => hermes(["logs", ...args], { home: home.path });
  const events = async (...args: string[]) =>
    ((await run(...args, "--json")).json as { lines: { event: string }[] }).lines.map(({ event }) => event);
  assert.deepEqual(await events(), ["tool.crashed", "mcp.started", "model.failed"]);
  assert.deepEqual(await events("-n", "2"), ["mcp.started", "model.failed"]);
  assert.deepEqual(await events("errors"), ["tool.crashed"]);
  assert.deepEqual(await events("--level", "warn", "--component", "agent"), ["model.failed"]);
  assert.deepEqual(await events("--session", "s-1"), ["tool.crashed"]);
  assert.deepEqual(await events("gateway", "--since", "1h"), []);
  const shown = await run();
  assert.ok(!shown.out.includes("\u001b"), "control characters of a line reach no terminal");
  assert.match((await run("list")).out, /^agent .*\ngateway /u);
  assert.deepEqual([(await run("gatewy")).code, (await run("--since", "soon")).code], [2, 2]);
});

test("logs -f prints new lines, even after a rotation, until it is interrupted", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "logs");
  await mkdir(folder);
  const file = join(folder, "hermes.jsonl");
  await writeFile(file, line("first.one"));
  const stop = new AbortController();
  const seen: string[] = [];
  const { runCli } = await import("../../run-cli.ts");
  const following = runCli(["logs", "-f"], {
    io: {
      stdin: (async function* () {})(),
      stdinIsTerminal: false,
      stdoutIsTerminal: false,
      columns: 100,
      rows: 20,
      write: async (text) => void seen.push(text),
      warn() {},
    },
    env: { HERMES_HOME: home.path, PATH: "" },
    cwd: home.path,
    signal: stop.signal,
  });
  const has = (word: string) => eventually(() => seen.join("").includes(word), word);
  await has("first.one");
  await writeFile(file, line("before.rotation"), { flag: "a" });
  await rename(file, join(folder, "hermes.1.jsonl"));
  await writeFile(file, line("after.rotation"));
  await has("before.rotation");
  await has("after.rotation");
  stop.abort();
  assert.equal(await following, 130);
  assert.equal(seen.join("").match(/first\.one/gu)?.length, 1);
});

test("status, insights, dump and debug share describe a used home and hide its secrets", async () => {
  await using home = await tempHome();
  const secret = "sk-live-0123456789abcdefghij";
  await writeFile(join(home.path, ".env"), `OPENAI_API_KEY=${secret}\n`, { mode: 0o600 });
  await mkdir(join(home.path, "logs"));
  await writeFile(join(home.path, "logs", "hermes.jsonl"), line("model.failed", "warn", { key: secret }).repeat(9_000));
  const run = (...args: string[]) => hermes(args, { home: home.path });
  await run("chat", "-q", "list the files here", "-m", "offline/rules");
  const status = await run("status", "--all");
  assert.equal(status.code, 0, status.err);
  assert.match(status.out, /^sessions +1 session, 3 messages/mu);
  assert.match(status.out, /openai-api …ghij/u);
  assert.match(status.out, /^search +ddgs \(no key is set; best effort\)$/mu);
  assert.match(status.out, /^browser +.*(?:\(backend auto\)|hermes browser install)/mu);
  assert.equal((await run("status", "--json")).code, 0);
  const insights = (await run("insights", "--days", "7", "--json")).json as {
    sessions: number;
    byDay: unknown[];
    byTool: { name: string; count: number }[];
  };
  assert.deepEqual([insights.sessions, insights.byDay.length, insights.byTool[0]?.count], [1, 7, 1]);
  assert.match((await run("insights")).out, /1 session in the last 30 days \(oneshot 1\)/u);
  assert.doesNotMatch((await run("insights")).out, /[▁-█]/u);
  assert.match((await hermes(["insights"], { home: home.path, stdoutIsTerminal: true })).out, /[▁-█]/u);
  assert.match((await run("insights", "--source", "cli")).out, /No sessions/u);
  const dump = await run("dump");
  assert.match(dump.out, /^model: /mu);
  const keys = await run("dump", "--show-keys");
  assert.match(keys.out, /OPENAI_API_KEY: sk-l…ghij/u);
  const shared = (await run("debug", "share", "--local", "--lines", "100000", "--json")).json as { file: string };
  const text = await readFile(shared.file, "utf8");
  assert.ok(text.length < 700_000, "only the last 512 KB of a log are included");
  for (const shown of [status.out, dump.out, keys.out, text]) assert.ok(!shown.includes(secret));
  assert.equal((await stat(shared.file)).mode & 0o777, 0o600);
});

test("doctor --fix removes access for other users, renames deprecated keys, and reports it", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, ".env"), "A_KEY=1234567890\n", { mode: 0o644 });
  await chmod(home.path, 0o755);
  const fixed = await hermes(["doctor", "--fix", "--json"], { home: home.path });
  const { repairs } = fixed.json as { repairs: { done: string[]; failed: string[] } };
  assert.deepEqual(repairs.failed, []);
  assert.equal((await stat(home.path)).mode & 0o777, 0o700);
  assert.equal((await stat(join(home.path, ".env"))).mode & 0o777, 0o600);
  assert.ok(repairs.done.length >= 1);
  const again = await hermes(["doctor", "--fix", "--json"], { home: home.path });
  assert.deepEqual((again.json as { repairs: unknown }).repairs, { done: [], failed: [] });
});

// covers: src/base
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { createFileLog } from "../../src/base/log/log-file.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { tempHome } from "../support/temp-home.ts";

const folder = join(import.meta.dirname, "../../src/base/log");
const limits = { level: "info", maxFileBytes: 5_000_000, maxTotalBytes: 50_000_000 } as const;

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("on a full disk, log lines are dropped, and every complete line stays readable", async (context) => {
  await using home = await tempHome();
  if (!mountTiny(home.path)) return context.skip("cannot mount a file system here");
  try {
    const log = createFileLog({ folder: home.path, clock: systemClock, redact: (text) => text, ...limits });
    for (let round = 0; round < 20; round++) {
      log.info("x", { text: "y".repeat(7_000) });
      await log.flush();
    }
    const held = await readFile(join(home.path, "hermes.jsonl"), "utf8");
    assert.ok(held.length > 20_000 && held.length <= 65_536);
    await writeFile(join(home.path, "hermes.jsonl"), held.slice(0, 10_000));
    log.info("back");
    await log[Symbol.asyncDispose]();
    const lines = (await readFile(join(home.path, "hermes.jsonl"), "utf8")).trimEnd().split("\n").slice(-2);
    const [dropped, back] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual([dropped?.["event"], dropped?.["reason"], back?.["event"]], ["log.dropped", "ENOSPC", "back"]);
  } finally {
    execFileSync("umount", [home.path]);
  }
});

test("processes that share a log file damage no line, and lose none during a rotation", async () => {
  await using home = await tempHome();
  const code = `import { createFileLog } from "./log-file.ts";
    import { systemClock as clock } from "../clock.ts";
    const log = createFileLog({ folder: process.argv[1], clock, redact: (text) => text, level: "info", maxFileBytes: 30_000, maxTotalBytes: 10_000_000 });
    for (let line = 0; line < 300; line++) {
      log.info("x", { who: process.argv[2], line, text: "y".repeat(line) });
      if (line % 5 === 0) await log.flush();
    }
    await log[Symbol.asyncDispose]();`;
  const writers = ["a", "b", "c", "d"].map((who) => inChild(folder, code, [home.path, who]));
  await runAll(writers, async () => void (await Promise.all(writers.map((writer) => writer.ended))));
  const names = (await readdir(home.path)).filter((name) => name.endsWith(".jsonl"));
  const lines = (await Promise.all(names.map((name) => linesOf(join(home.path, name))))).flat();
  assert.ok(names.length > 5);
  assert.deepEqual(
    lines.map(({ who, line }) => `${String(who)}${String(line)}`).toSorted(),
    ["a", "b", "c", "d"].flatMap((who) => Array.from({ length: 300 }, (_, line) => `${who}${line}`)).toSorted(),
  );
});

test("flushSync writes all lines before an exit, even during another write", async () => {
  await using home = await tempHome();
  const code = `import { createFileLog } from "./log-file.ts";
    import { systemClock as clock } from "../clock.ts";
    const log = createFileLog({ folder: process.argv[1], clock, redact: (text) => text, level: "info", maxFileBytes: 5_000_000, maxTotalBytes: 50_000_000 });
    process.on("exit", () => log.flushSync());
    for (let line = 0; line < 100; line++) log.info("x", { line });
    void log.flush();
    for (let step = 0; step < Number(process.argv[2]); step++) await new Promise((resolve) => setImmediate(resolve));
    for (let line = 100; line < 200; line++) log.info("x", { line });
    process.exit(0);`;
  const runs = [0, 2, 5, 13].map((steps) => inChild(folder, code, [join(home.path, `${steps}`), `${steps}`]));
  await runAll(runs, async () => void (await Promise.all(runs.map((run) => run.ended))));
  for (const steps of await readdir(home.path)) {
    const lines = (await linesOf(join(home.path, steps, "hermes.jsonl"))).map(({ line }) => Number(line));
    assert.deepEqual(
      lines.toSorted((a, b) => a - b),
      Array.from({ length: 200 }, (_, index) => index),
      `after ${steps} steps`,
    );
  }
});

function mountTiny(folder: string): boolean {
  if (process.getuid?.() !== 0 || process.platform !== "linux") return false;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

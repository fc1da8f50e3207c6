/**
 * Time of a replacement in a large file: exact text, different white space, different quotes, and a missing text. First
 * the engine alone, then the tool: reading, checking, durable writing, reading again, and the diff.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createFileReads } from "../src/kernel/file-reads.ts";
import { replaceText } from "../src/tools/files/edit/replace-text.ts";
import patchTool from "../src/tools/files/patch.tool.ts";
import { call, dispatchRig } from "../test/support/dispatch-rig.ts";
import { tempHome } from "../test/support/temp-home.ts";
import { openLocal } from "./support/local.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";

const lineCount = 50_000;
const lines = Array.from({ length: lineCount }, (_, index) => {
  const depth = "    ".repeat(index % 4);
  return `${depth}const value${index} = compute(${index}, "part ${index % 97}"); // step ${index % 13}`;
});
const line = lineCount - 200;
const block = lines.slice(line, line + 8);
const file = `${lines.join("\n")}\n`;
const old = block.join("\n");
const changed = old.replace(`value${line}`, "renamed");
const deeper = (text: string) => text.replace(/^/gm, "  ");
const quoted = `${lines.with(line, `say(“hello”, ${line});`).join("\r\n")}\r\n`;

const cases = {
  exact: { limitMs: 50, run: () => replaceText(file, { old, new: changed, replaceAll: false }) },
  "different white space": {
    limitMs: 200,
    run: () => replaceText(file, { old: deeper(old), new: deeper(changed), replaceAll: false }),
  },
  "quotes drifted": {
    limitMs: 400,
    run: () => replaceText(quoted, { old: `say("hello", ${line});`, new: "said();", replaceAll: false }),
  },
  "not there": {
    limitMs: 1_000,
    run: () => replaceText(file, { old: old.replace("compute", "computed"), new: changed, replaceAll: false }),
  },
};

for (const [name, { run }] of Object.entries(cases)) {
  const expected = name === "not there" ? "not_found" : "applied";
  if (run().outcome !== expected) throw new Error(`${name} was ${run().outcome}`);
}
const runs = Object.fromEntries(Object.entries(cases).map(([name, { run }]) => [name, run]));
const rounds = process.argv.includes("--quick") ? 1 : 15;
const times = await interleaved(runs, rounds);
for (const [name, { limitMs }] of Object.entries(cases)) {
  const p50Ms = median(times[name] ?? []);
  report("edit", `${name}, ${lineCount} lines`, { p50Ms: rounded(p50Ms), limitMs, holds: p50Ms <= limitMs });
}

await using home = await tempHome();
await using environment = await openLocal(home.path);
const rig = dispatchRig([patchTool]);
const fileReads = createFileReads({ lines: 2000, lineChars: 2000 });
const scope = rig.scope({ place: { cwd: home.path, backend: "local" }, services: { environment, fileReads } });
const path = join(home.path, "big.ts");
await writeFile(path, file);

/** Alternates between the replacement and its inverse, so that each edit finds its text. */
async function edits(from: string, to: string): Promise<void> {
  for (const [old_string, new_string] of [
    [from, to],
    [to, from],
  ] as const) {
    const done = await rig.dispatcher.dispatch(call("patch", { path, old_string, new_string }), scope);
    if (!done.ok) throw new Error(done.error.message);
  }
}
const toolCases = {
  exact: { limitMs: 50, run: () => edits(old, changed) },
  "different white space": { limitMs: 200, run: () => edits(deeper(old), deeper(changed)) },
};
const toolRuns = Object.fromEntries(Object.entries(toolCases).map(([name, { run }]) => [name, run]));
const toolTimes = await interleaved(toolRuns, rounds);
for (const [name, { limitMs }] of Object.entries(toolCases)) {
  const p50Ms = median(toolTimes[name] ?? []) / 2;
  report("edit", `${name}, ${lineCount} lines, through the tool`, {
    p50Ms: rounded(p50Ms),
    limitMs,
    holds: p50Ms <= limitMs,
  });
}

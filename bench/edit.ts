/** How long a replace edit takes in a large file: text as given, drifted white space, drifted quotes, and not there at all. */
import { replaceText } from "../src/tools/files/edit/replace-text.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";

const lineCount = 50_000;
const lines = Array.from({ length: lineCount }, (_, index) => {
  const depth = "    ".repeat(index % 4);
  return `${depth}const value${index} = compute(${index}, "part ${index % 97}"); // step ${index % 13}`;
});
const at = lineCount - 200;
const block = lines.slice(at, at + 8);
const file = `${lines.join("\n")}\n`;
const old = block.join("\n");
const wanted = old.replace(`value${at}`, "renamed");
const deeper = (text: string) => text.replace(/^/gm, "  ");
const quoted = `${lines.with(at, `say(“hello”, ${at});`).join("\r\n")}\r\n`;

const cases = {
  exact: { limitMs: 50, run: () => replaceText(file, { old, new: wanted, replaceAll: false }) },
  "white space drifted": {
    limitMs: 200,
    run: () => replaceText(file, { old: deeper(old), new: deeper(wanted), replaceAll: false }),
  },
  "quotes drifted": {
    limitMs: 400,
    run: () => replaceText(quoted, { old: `say("hello", ${at});`, new: "said();", replaceAll: false }),
  },
  "not there": {
    limitMs: 1_000,
    run: () => replaceText(file, { old: old.replace("compute", "computed"), new: wanted, replaceAll: false }),
  },
};

for (const [name, { run }] of Object.entries(cases)) {
  const expected = name === "not there" ? "not_found" : "applied";
  if (run().outcome !== expected) throw new Error(`${name} was ${run().outcome}`);
}
const runs = Object.fromEntries(Object.entries(cases).map(([name, { run }]) => [name, run]));
const times = await interleaved(runs, process.argv.includes("--quick") ? 3 : 15);
for (const [name, { limitMs }] of Object.entries(cases)) {
  const p50Ms = median(times[name] ?? []);
  report("edit", `${name}, ${lineCount} lines`, { p50Ms: rounded(p50Ms), limitMs, holds: p50Ms <= limitMs });
}

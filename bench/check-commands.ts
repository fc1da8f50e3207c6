/**
 * How long the decision about a command takes after warm-up: over all commands of the corpus, for scripts of 100 KB, and for
 * nesting beyond every measure.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ordinaryFolder } from "../src/safety/command/check-lines.ts";
import { judgeCommand } from "../src/safety/command/judge-command.ts";
import { interleaved, median, quantile, report, rounded } from "./support/measure.ts";

const folder = join(import.meta.dirname, "../test/fixtures/commands");
const commands = globSync("*.jsonl", { cwd: folder }).flatMap((file) =>
  readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { readonly command: string }).command),
);
const isQuick = process.argv.includes("--quick");

for (let round = 0; round < 3; round++) for (const command of commands) judgeCommand(command, ordinaryFolder);
const times = commands.map((command) => {
  const rounds = Array.from({ length: isQuick ? 1 : 5 }, () => {
    const startedAt = performance.now();
    judgeCommand(command, ordinaryFolder);
    return (performance.now() - startedAt) * 1000;
  });
  return median(rounds);
});
for (const [part, limitUs] of [
  [0.5, 150],
  [0.99, 1_500],
] as const) {
  const us = quantile(times, part);
  report("check-commands", `${commands.length} commands, p${part * 100}`, {
    us: rounded(us, 1),
    limitUs,
    holds: us <= limitUs,
  });
}

const long = 100_000;
const lineOf = (index: number) =>
  `npm run build -- --step ${index} 2>&1 | tee logs/build-${index}.log && cd src && ls -la; cd ..\n`;
const safe = commands.filter((command) => command.length < 120 && !/<<|[\n'"`]/u.test(command));
const cases = {
  "100 KB script of pipes and lists": filled((index) => lineOf(index)),
  "100 KB script of commands of every kind": filled((index) => `${safe[(index * 37) % safe.length]}\n`),
  "100 KB in one list of words": `echo ${"word ".repeat(long / 5)}`,
  "100 KB here-document": `cat > notes.txt <<'END'\n${"a line with $x and `y`\n".repeat(long / 24)}END\n`,
  "5,000 levels of $(": `${"$(".repeat(5_000)}ls${")".repeat(5_000)}`,
  "5,000 levels of subshells": `${"(".repeat(5_000)}ls${")".repeat(5_000)}`,
  "5,000 levels of if": `${"if ".repeat(5_000)}ls${"; then ls; fi".repeat(5_000)}`,
  "5,000 levels of braces": `echo ${"{a,".repeat(5_000)}${"}".repeat(5_000)}`,
};
const runs = Object.fromEntries(
  Object.entries(cases).map(([name, text]) => [name, () => judgeCommand(text, ordinaryFolder)]),
);
const measured = await interleaved(runs, isQuick ? 2 : 12);
for (const name of Object.keys(cases)) {
  const p50Ms = median(measured[name] ?? []);
  report("check-commands", name, { p50Ms: rounded(p50Ms), limitMs: 60, holds: p50Ms <= 60 });
}

function filled(line: (index: number) => string): string {
  let text = "";
  for (let index = 0; text.length < long; index++) text += line(index);
  return text;
}

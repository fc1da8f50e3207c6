/**
 * Time of the policy decision about a command, after warm-up: for all commands of the corpus, for generated 100 KB
 * scripts of many kinds, and for extreme nesting. Prints the slowest kinds.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ordinaryFolder } from "../src/safety/command/check-lines.ts";
import { judgeCommand } from "../src/safety/command/judge-command.ts";
import { deepScripts, longScripts } from "../test/support/long-scripts.ts";
import { interleaved, median, quantile, report, rounded } from "./support/measure.ts";

const isQuick = process.argv.includes("--quick");
const folder = join(import.meta.dirname, "../test/fixtures/commands");
const commands = globSync("*.jsonl", { cwd: folder }).flatMap((file) =>
  readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .slice(0, isQuick ? 50 : Infinity)
    .map((line) => (JSON.parse(line) as { readonly command: string }).command),
);

for (let round = 0; round < (isQuick ? 1 : 3); round++)
  for (const command of commands) judgeCommand(command, ordinaryFolder);
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

const limitMs = 60;
await slowest(isQuick ? "5 KB" : "100 KB", longScripts(isQuick ? 5_000 : 100_000));
await slowest("5,000 levels", deepScripts());

/** Reports the median over all kinds of scripts, and the five slowest. */
async function slowest(kind: string, scripts: Readonly<Record<string, string>>): Promise<void> {
  const runs = Object.fromEntries(
    Object.entries(scripts)
      .slice(0, isQuick ? 10 : Infinity)
      .map(([name, text]) => [name, () => judgeCommand(text, ordinaryFolder)]),
  );
  const measured = await interleaved(runs, isQuick ? 1 : 12);
  const shapes = Object.entries(measured)
    .map(([name, list]) => ({ name, p50Ms: median(list) }))
    .toSorted((a, b) => b.p50Ms - a.p50Ms);
  const middleMs = median(shapes.map(({ p50Ms }) => p50Ms));
  report("check-commands", `${kind}, ${shapes.length} kinds of scripts, median`, {
    p50Ms: rounded(middleMs),
    limitMs,
    holds: middleMs <= limitMs,
  });
  for (const { name, p50Ms } of shapes.slice(0, 5))
    report("check-commands", `${kind}: ${name}`, { p50Ms: rounded(p50Ms), limitMs, holds: p50Ms <= limitMs });
}

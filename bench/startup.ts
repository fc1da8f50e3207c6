/** Time until the first output, compared with a minimal Node script. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { interleaved, median, report, rounded } from "./support/measure.ts";

const root = join(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
const env = { ...process.env, HERMES_HOME: home };
const rounds = process.argv.includes("--quick") ? 1 : 31;

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
}

const bundle = join(root, "dist", "hermes.js");
const contenders = {
  node: () => run(process.execPath, ["-e", "0"]),
  version: () => run(process.execPath, [bundle, "--version"]),
  "tools list": () => run(process.execPath, [bundle, "tools", "list"]),
  "launcher --version": () => run(join(root, "hermes"), ["--version"]),
};
try {
  if (rounds > 1) await interleaved(contenders, 2); // fills the compile cache
  const times = await interleaved(contenders, rounds);
  const floor = median(times.node);
  for (const [name, limit] of [
    ["version", 1.5],
    ["tools list", 3],
    ["launcher --version", 1.5],
  ] as const) {
    const ms = median(times[name]);
    report("startup", name, {
      ms: rounded(ms, 1),
      nodeMs: rounded(floor, 1),
      ratio: rounded(ms / floor, 2),
      limit,
      holds: ms / floor <= limit,
    });
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

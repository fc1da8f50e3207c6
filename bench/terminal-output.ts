/** A command with a lot of output: peak memory above idle, and speed compared with a plain pipe. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openLocal } from "./support/local.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";

const quick = process.argv.includes("--quick");
const bytes = quick ? 128 * 1024 ** 2 : 1024 ** 3;
const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
const producer = `head -c ${bytes} /dev/zero`;
try {
  await using environment = await openLocal(home);
  const { signal } = new AbortController();
  const run = async (command: string, expected: number) => {
    const ran = await environment.exec(command, { signal, timeoutMs: 300_000 });
    if (!ran.ok || ran.value.totalBytes !== expected) throw new Error(JSON.stringify(ran));
  };
  await run("head -c 1000 /dev/zero", 1000);
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  await run(producer, bytes);
  const aboveIdleMb = (peakBytes() - idle) / 1e6;
  report("terminal-output", `memory at ${bytes / 1024 ** 2} MB of output`, {
    idleMb: rounded(idle / 1e6, 1),
    aboveIdleMb: rounded(aboveIdleMb, 1),
    limitMb: 80,
    holds: aboveIdleMb <= 80,
  });
  const times = await interleaved(
    {
      cat: () => execFileSync("bash", ["-c", `${producer} | cat > /dev/null`]),
      exec: () => run(producer, bytes),
    },
    quick ? 1 : 7,
  );
  const [floor, ours] = [median(times.cat), median(times.exec)];
  report("terminal-output", "speed compared with cat > /dev/null", {
    mbPerS: rounded(bytes / 1e3 / ours, 0),
    catMbPerS: rounded(bytes / 1e3 / floor, 0),
    ratio: rounded(floor / ours, 2),
    limit: 0.5,
    holds: floor / ours >= 0.5,
  });
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** The peak memory of this process, as the system counts it. */
function peakBytes(): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
}

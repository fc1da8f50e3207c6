/**
 * Time that an environment adds to a command: locally compared with spawning the shell, over ssh compared with the bare
 * client.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { missingPrograms } from "../test/support/system-programs.ts";
import { openLocal } from "./support/local.ts";
import { interleaved, median, quantile, report, rounded } from "./support/measure.ts";
import { openSsh } from "./support/ssh.ts";

const rounds = process.argv.includes("--quick") ? 10 : 400;
const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
try {
  await using environment = await openLocal(home);
  const { signal } = new AbortController();
  const contenders = {
    bash: () =>
      new Promise<void>((resolve, reject) => {
        const child = spawn("bash", ["-c", "true"], { stdio: ["ignore", "pipe", "pipe"], cwd: home });
        child.on("close", () => resolve()).on("error", reject);
      }),
    async exec() {
      const ran = await environment.exec("true", { signal, timeoutMs: 60_000 });
      if (!ran.ok || ran.value.exitCode !== 0) throw new Error(JSON.stringify(ran));
    },
  };
  await interleaved(contenders, 20);
  const times = await interleaved(contenders, rounds);
  const [floor, ours] = [median(times.bash), median(times.exec)];
  report("terminal", "exec true, local, p50", {
    ms: rounded(ours, 2),
    p99Ms: rounded(quantile(times.exec, 0.99), 2),
    bashMs: rounded(floor, 2),
    ratio: rounded(ours / floor, 2),
    limit: 1.6,
    holds: ours / floor <= 1.6,
  });
} finally {
  rmSync(home, { recursive: true, force: true });
}

const missing = missingPrograms({ sshd: "openssh-server", ssh: "openssh-client" });
if (missing !== false) process.stderr.write(`ssh is not measured: ${missing}\n`);
else {
  await using ssh = await openSsh();
  const { signal } = new AbortController();
  const contenders = {
    ssh: () => ssh.plain("true"),
    async exec() {
      const ran = await ssh.environment.exec("true", { signal, timeoutMs: 60_000 });
      if (!ran.ok || ran.value.exitCode !== 0) throw new Error(JSON.stringify(ran));
    },
  };
  await interleaved(contenders, 10);
  const times = await interleaved(contenders, rounds / 2);
  const [floor, ours] = [median(times.ssh), median(times.exec)];
  report("terminal", "exec true, ssh, p50", {
    ms: rounded(ours, 2),
    p99Ms: rounded(quantile(times.exec, 0.99), 2),
    sshMs: rounded(floor, 2),
    ratio: rounded(ours / floor, 2),
    limit: 1.4,
    holds: ours / floor <= 1.4,
  });
}

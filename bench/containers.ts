/** Time that the docker environment adds to a command, compared with the engine's own `exec`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log/log.ts";
import { createDockerFactory } from "../src/environments/docker/docker-environment.ts";
import { missingEngine, startEngine } from "../test/support/container-engine.ts";
import { interleaved, median, quantile, report, rounded } from "./support/measure.ts";

const rounds = process.argv.includes("--quick") ? 2 : 60;
const missing = missingEngine();
const started = missing === false ? await startEngine() : missing;
if (typeof started === "string") report("containers", "exec true in a container", { skipped: started });
else {
  await using engine = started;
  const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  try {
    const { signal } = new AbortController();
    const opened = await createDockerFactory({
      home,
      profile: "bench",
      clientEnv: engine.env,
      binary: engine.binary,
      isHostUser: false,
      hasReaper: false,
      env: {},
      spillFolder: join(home, "spill"),
      clock: systemClock,
      log: silentLog,
      settings: {
        image: engine.image,
        cpus: 1,
        memoryMb: 512,
        diskMb: 1_024,
        isPersistent: false,
        isKeptAcrossPrograms: false,
        sandboxFolder: home,
        volumes: [],
        extraArgs: [],
        readOnly: [],
        hasNetwork: false,
        shmSize: "64m",
        lifetimeMs: 300_000,
      },
    }).open({ taskId: "bench" }, signal);
    if (!opened.ok) throw new Error(opened.error.message);
    await using environment = opened.value;
    const container = (await engine.run("ps", "-q")).trim();
    const contenders = {
      engine: () => engine.run("exec", container, "true"),
      async exec() {
        const ran = await environment.exec("true", { signal, timeoutMs: 60_000 });
        if (!ran.ok || ran.value.exitCode !== 0) throw new Error(JSON.stringify(ran));
      },
    };
    await interleaved(contenders, process.argv.includes("--quick") ? 1 : 3);
    const times = await interleaved(contenders, rounds);
    const [floor, ours] = [median(times.engine), median(times.exec)];
    report("containers", "exec true in a container, p50", {
      ms: rounded(ours, 1),
      p90Ms: rounded(quantile(times.exec, 0.9), 1),
      engineMs: rounded(floor, 1),
      ratio: rounded(ours / floor, 2),
      limit: 1.5,
      holds: ours / floor <= 1.5,
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Time from a key press to its echo on the full screen, when idle and while an answer streams. */
import { setTimeout as pause } from "node:timers/promises";

import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import { quantile, report, rounded } from "./support/measure.ts";
import { hermes, makeScene } from "./support/programs.ts";
import { type ScreenProgram, startScreenProgram } from "./support/screen-program.ts";

const quick = process.argv.includes("--quick");
const keys = quick ? 20 : 200;
/** One delta every 5 ms makes 200 per second. */
const text = Array.from({ length: keys * 8 }, (_, index) => (index % 60 === 59 ? "word.\n\n" : "word "));

await using server = await startModelServer({
  protocol: "openai-chat",
  turns: () => ({ text, fault: { chunkBytes: 250, dripMs: 5 } }),
  record: false,
});
using scene = makeScene(server.url, "auxiliary:\n  title_generation:\n    enabled: false\n");
await using program = startScreenProgram(hermes("--tui"), scene);
await program.until("/help");
await pause(500);
const idle = await echoes(program, 20);
program.type("\x15go\r");
await program.until("word ", program.raw().length);
const streaming = await echoes(program, 25);

/** The time of each key until the terminal has its echo. */
async function echoes({ raw, type, until }: ScreenProgram, pauseMs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < keys; index++) {
    const from = raw().length;
    const startedAt = performance.now();
    // Neither character occurs in the answer.
    const sign = index % 2 === 0 ? "~" : "^";
    type(sign);
    times.push((await until(sign, from)) - startedAt);
    await pause(pauseMs);
    if (index % 20 === 19) {
      type("\x15");
      await pause(pauseMs);
    }
  }
  return times;
}

const p50 = quantile(idle, 0.5);
report("tui-latency", "key to echo, idle", {
  p50Ms: rounded(p50, 2),
  p99Ms: rounded(quantile(idle, 0.99), 2),
  limit: 6,
  holds: p50 <= 6,
});
const p99 = quantile(streaming, 0.99);
report("tui-latency", "key to echo, while 200 deltas a second stream", {
  p50Ms: rounded(quantile(streaming, 0.5), 2),
  p99Ms: rounded(p99, 2),
  limit: 30,
  holds: p99 <= 30,
});

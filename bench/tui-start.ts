/** Time until the full screen echoes a key, compared with a bare Node; then the same when a long session is resumed. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import type * as Library from "../src/index.ts";
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";
import { hermes, makeScene } from "./support/programs.ts";
import { startScreenProgram } from "./support/screen-program.ts";

const quick = process.argv.includes("--quick");
const rounds = quick ? 1 : 21;
const messages = quick ? 20 : 5_000;

await using server = await startModelServer({
  protocol: "openai-chat",
  turns: () => ({ text: "Hello." }),
  record: false,
});
using scene = makeScene(server.url);
const { session: short } = await talk(1);
const { session: long } = await talk(messages / 2);

/** Creates a session with this many exchanges in the same home, with the library. */
async function talk(turns: number): Promise<{ readonly session: string }> {
  const file = join(import.meta.dirname, "..", "dist", "index.js");
  // The bundle of the same module.
  const { createRuntime } = (await import(file)) as typeof Library;
  await using runtime = await createRuntime({ home: scene.home, env: scene.env, cwd: scene.folder });
  await using session = await runtime.openSession({ source: "cli" });
  for (let turn = 0; turn < turns; turn++) {
    const { reason, why } = await session.prompt([
      { type: "text", text: `prompt ${turn}: ${"some words ".repeat(20)}` },
    ]).done;
    if (reason !== "answered") throw new Error(why ?? reason);
  }
  return { session: session.id };
}

/** Measures the time until the prompt is drawn, and until it echoes a key that is typed then. */
async function editable(...args: readonly string[]): Promise<void> {
  await using program = startScreenProgram(hermes(...args), scene);
  await program.until("❯");
  const from = program.raw().length;
  program.type("~");
  await program.until("~", from);
}

const contenders = {
  node: () => spawnSync(process.execPath, ["-e", "0"]),
  screen: () => editable(),
  short: () => editable("-r", short),
  long: () => editable("-r", long),
};
if (!quick) await interleaved(contenders, 1); // fills the compile cache
const times = await interleaved(contenders, rounds);
const floor = median(times.node);
const ms = median(times.screen);
report("tui-start", "start to an editable prompt", {
  ms: rounded(ms, 1),
  nodeMs: rounded(floor, 1),
  ratio: rounded(ms / floor, 2),
  limit: 6,
  holds: ms / floor <= 6,
});
const more = median(times.long) - median(times.short);
report("tui-start", `extra time to resume ${messages.toLocaleString("en")} messages compared with 2`, {
  ms: rounded(more, 1),
  limit: 40,
  holds: more <= 40,
});

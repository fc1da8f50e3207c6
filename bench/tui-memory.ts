/** Memory of the full screen after one turn, and after many. */
import { setTimeout as pause } from "node:timers/promises";

import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import { report, rounded } from "./support/measure.ts";
import { hermes, makeScene } from "./support/programs.ts";
import { memoryMb, startScreenProgram } from "./support/screen-program.ts";

const turns = process.argv.includes("--quick") ? 20 : 500;
let answered = 0;
await using server = await startModelServer({
  protocol: "openai-chat",
  turns: () => ({ text: `${"An answer of some words.\n\n".repeat(20)}End ${++answered}.` }),
  record: false,
});
// `queue`: the bench may send a prompt before the turn of the shown answer has ended. Titles and reviews of the memory
// would be other requests at unpredictable moments.
const settings =
  "display:\n  busy_input_mode: queue\nauxiliary:\n  title_generation:\n    enabled: false\nmemory:\n  nudge_interval: 0\n";
using scene = makeScene(server.url, settings);
{
  // Fills the compile cache: compiling takes memory too.
  await using other = startScreenProgram(hermes("--tui"), scene);
  await other.until("/help");
  other.type("say something\r");
  await other.until("End 1.");
  other.type("\x04");
  await other.exited;
}
await using program = startScreenProgram(hermes("--tui"), scene);
await program.until("/help");

async function turn(): Promise<void> {
  const from = program.raw().length;
  program.type("say something\r");
  await program.until(`End ${answered + 1}.`, from);
}

await turn();
await pause(1_000);
const first = memoryMb(program.pid);
for (let count = 1; count < turns; count++) await turn();
await pause(1_000);
const last = memoryMb(program.pid);
report("tui-memory", "after one turn", { mb: rounded(first, 1), limit: 95, holds: first <= 95 });
report("tui-memory", `growth after ${turns} turns`, {
  mb: rounded(last - first, 1),
  limit: 30,
  holds: last - first <= 30,
});

/** A program that a test kills. Prints its session id and digest once the summary request hangs. */
import { digestOf, first, firstTask, notes, scene, second, secondTask } from "./compaction-scene.ts";

const [folder = ""] = process.argv.slice(2);
// Runs without the background process, which would survive the kill.
const alone = second.toSpliced(2, 1);
const rig = await scene(folder, [...first, ...alone], { text: notes, fault: { hangAfter: 40 } });
await rig.ask(firstTask);
for await (const event of rig.session.prompt([{ type: "text", text: secondTask }]).events()) {
  if (event.type !== "context.compacting") continue;
  while (rig.summaries().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  process.stdout.write(`${rig.session.id} ${digestOf(await rig.runtime.sessions.path(rig.session.id))}\n`);
}

import { oneLine, plural } from "../base/text/text.ts";
import { promptOf, promptText } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "queue",
  aliases: ["q"],
  args: "<prompt> | list | clear",
  summary: "Ask something when the running turn has ended",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { session }) {
    const waiting = session.queued;
    if (args === "" || args === "list") {
      if (waiting.length === 0) return { text: "Nothing waits." };
      return { text: waiting.map((content, at) => `  ${at + 1}. ${oneLine(promptText(content), 160)}`).join("\n") };
    }
    if (args === "clear") {
      session.clearQueue();
      return { text: `${plural(waiting.length, "prompt")} taken off the queue.` };
    }
    const isBusy = session.turn !== undefined;
    session.queue(promptOf(args));
    return { text: isBusy ? `Waits behind the running turn (${plural(session.queued.length, "prompt")}).` : "" };
  },
});

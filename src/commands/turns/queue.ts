import { plural, oneLine } from "../../base/text/text.ts";
import { promptText } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const queueCommand: SlashCommand = {
  name: "queue",
  aliases: ["q"],
  args: "<prompt> | list | clear",
  summary: "Queue a prompt after the running turn",
  async run(args, { run }) {
    if (args === "clear") {
      const { removed } = await run("session.clearQueue", {});
      return { text: `Removed ${plural(removed, "prompt")} from the queue.` };
    }
    if (args === "" || args === "list") {
      const { queued } = await run("session.queue", {});
      const lines = queued.map((content, index) => `  ${index + 1}. ${oneLine(promptText(content), 160)}`);
      return { text: lines.join("\n") || "The queue is empty." };
    }
    const { isBusy, queued } = await run("session.queue", { text: args });
    return { text: isBusy ? `Queued after the running turn (${plural(queued.length, "prompt")}).` : "" };
  },
};

import { promptOf } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "steer",
  aliases: ["s"],
  args: "<text>",
  summary: "Tell the running turn something, without stopping it",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { session }) {
    if (args === "") return { text: "What should it know? /steer TEXT", failed: true };
    const isBusy = session.turn !== undefined;
    session.steer(promptOf(args));
    return { text: isBusy ? "It is told after its next tool results." : "" };
  },
});

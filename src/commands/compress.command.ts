import { tokenCount } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "compress",
  aliases: ["compact"],
  args: "[focus]",
  summary: "Shorten the context now; nothing is lost, and what is in focus is kept in more detail",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, { session, signal }) {
    const shortened = await session.compress(args === "" ? undefined : args, signal);
    if (!shortened.ok) return { text: shortened.error.message, failed: true };
    const { before, after } = shortened.value;
    return { text: `Shortened from ${tokenCount(before)} to ${tokenCount(after)} tokens.` };
  },
});

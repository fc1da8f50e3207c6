import { tokenCount } from "../reply-text.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "compress",
  aliases: ["compact"],
  args: "[focus]",
  summary: "Compact the context now; the store keeps the originals, and the summary details the focus",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, { run }) {
    const { before, after } = await run("session.compress", { focus: args === "" ? undefined : args });
    return { text: `Compacted from ${tokenCount(before)} to ${tokenCount(after)} tokens.` };
  },
});

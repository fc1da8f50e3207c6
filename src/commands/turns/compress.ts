import { withoutModel } from "../../contracts/model/context.ts";
import { tokenCount } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const compressCommand: SlashCommand = {
  name: "compress",
  aliases: ["compact"],
  args: "[focus]",
  summary: "Compact the context now; the store keeps the originals, and the summary details the focus",
  whileBusy: "refuse",
  async run(args, { run }) {
    const { before, after, mechanical } = await run("session.compress", { focus: args === "" ? undefined : args });
    const sizes = `Compacted from ${tokenCount(before)} to ${tokenCount(after)} tokens`;
    return { text: mechanical ? `${sizes} (${withoutModel}).` : `${sizes}.` };
  },
};

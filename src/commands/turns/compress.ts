import { oneLine, plural } from "../../base/text/text.ts";
import { withoutModel } from "../../contracts/model/context.ts";
import { tokenCount } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const compressCommand: SlashCommand = {
  name: "compress",
  aliases: ["compact"],
  args: "[here [N] | focus] [--preview]",
  summary:
    "Compact the context now; the store keeps the originals. here N: the last N exchanges stay word for word (default: 2)",
  whileBusy: "refuse",
  async run(args, { run }) {
    const wish = args.replaceAll(/(?:^|\s)--preview(?=\s|$)/gu, "").trim();
    const here = /^here(?:\s+(?<count>\d{1,6}))?$/u.exec(wish);
    const [, count] = /^here\s+(\S+)$/u.exec(wish) ?? [];
    if (!here && count !== undefined)
      return { text: `"${oneLine(count, 40)}" is not a number of exchanges.`, failed: true };
    const keepExchanges = here ? Number(here.groups?.["count"] ?? defaultKept) : undefined;
    if (wish !== args.trim()) {
      const preview = await run("session.previewCompress", { keepExchanges });
      return { text: previewText(preview) };
    }
    const focus = here || wish === "" ? undefined : wish;
    const { before, after, mechanical } = await run("session.compress", { focus, keepExchanges });
    const sizes = `Compacted from ${tokenCount(before)} to ${tokenCount(after)} tokens`;
    return { text: mechanical ? `${sizes} (${withoutModel}).` : `${sizes}.` };
  },
};

const defaultKept = 2;

function previewText(preview: {
  readonly replaced: number;
  readonly replacedTokens: number;
  readonly kept: number;
  readonly keptTokens: number;
  readonly keptFrom?: string;
}): string {
  const { replaced, replacedTokens, kept, keptTokens, keptFrom } = preview;
  if (replaced === 0) return "There is nothing to compact yet. Nothing was changed.";
  const from = keptFrom === undefined ? "" : `, from "${oneLine(keptFrom, 80)}"`;
  return [
    `A summary would replace ${plural(replaced, "message")} (about ${tokenCount(replacedTokens)} tokens).`,
    `${plural(kept, "message")} would stay word for word (about ${tokenCount(keptTokens)} tokens${from}).`,
    "Nothing was changed.",
  ].join("\n");
}

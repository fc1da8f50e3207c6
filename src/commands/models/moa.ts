import { tokenCount, promptOf } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const moaCommand: SlashCommand = {
  name: "moa",
  args: "[preset | prompt]",
  summary: "Switch to a mixture of models, or use one for a single prompt",
  whileBusy: "refuse",
  async run(args, { run }) {
    const { presets, default: defaults } = await run("moa.list", {});
    const words = args.trim();
    const isPrompt = words !== "" && !presets.some(({ name }) => name === words);
    const before = (await run("session.status", {})).model;
    const preset = words === "" || isPrompt ? defaults : words;
    const used = await run("session.useModel", { model: `moa/${preset}`, forOneTurn: isPrompt });
    const name = `${used.provider}/${used.model}`;
    if (!isPrompt) {
      const window = `window ${tokenCount(used.contextTokens)} tokens`;
      return { text: `Now using ${name} in this session, ${window}. /model changes it.` };
    }
    return {
      text: `Using ${name} for this prompt, then ${before.provider}/${before.model} again.`,
      effect: { kind: "prompt", content: promptOf(words) },
    };
  },
};

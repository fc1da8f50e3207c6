import { promptOf, tokenCount } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "moa",
  args: "[preset | prompt]",
  summary: "Let a mixture of models answer: from now on, or one prompt alone",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, { host, session }) {
    if (!host.mixtures) return { text: "There are no mixtures here.", failed: true };
    const { presets, usual } = host.mixtures;
    const asked = args.trim();
    const isPrompt = asked !== "" && !presets.includes(asked);
    const before = session.model();
    const used = await session.useModel(`moa/${asked === "" || isPrompt ? usual : asked}`, isPrompt);
    if (!used.ok) return { text: used.error.message, failed: true };
    const { provider, model, contextTokens } = used.value;
    if (!isPrompt)
      return {
        text: `Now ${provider}/${model}, window ${tokenCount(contextTokens)} tokens. Only in this conversation; /model goes back.`,
      };
    return {
      text: `Asking ${provider}/${model}; then ${before.provider}/${before.model} answers again.`,
      effect: { kind: "prompt", content: promptOf(asked) },
    };
  },
});

import { defineCommand } from "../contracts/command.ts";
import { rows, tokenCount } from "./reply-text.ts";

export default defineCommand({
  name: "model",
  args: "[name] [--global]",
  summary: "Show the model, or use another one from the next request on",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, { host, session, signal }) {
    const words = args.split(/\s+/u).filter((word) => word !== "");
    const isKept = words.includes("--global");
    const name = words.find((word) => !word.startsWith("--"));
    if (name === undefined) {
      const { provider, model, contextTokens, contextSource } = session.model();
      const others = await host.models(signal);
      const shown = others.slice(0, most).map(({ name: each, note }) => [each, note] as const);
      const list = others.length === 0 ? "" : `\nOthers: /model NAME\n${rows(shown)}`;
      const more = others.length > most ? `\n  and ${others.length - most} more: hermes model list` : "";
      return {
        text: `${provider}/${model}, window ${tokenCount(contextTokens)} tokens (${contextSource})${list}${more}`,
      };
    }
    const used = await session.useModel(name);
    if (!used.ok) return { text: used.error.message, failed: true };
    const text = `Now ${used.value.provider}/${used.value.model}, window ${tokenCount(used.value.contextTokens)} tokens.`;
    if (!isKept) return { text: `${text} Only in this conversation; --global keeps it.` };
    const kept = await host.keepModel(used.value, signal);
    return kept.ok ? { text: `${text} Kept for all conversations.` } : { text: kept.error.message, failed: true };
  },
});

const most = 20;

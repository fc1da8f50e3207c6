import type { CommandHost } from "../contracts/host/command.ts";
import { rows, tokenCount } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "model",
  args: "[name] [--provider id] [--global]",
  summary: "Show the model, or use another one from the next request on",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, { host, session, signal }) {
    const { name, isKept, fault } = wishIn(args);
    if (fault !== undefined) return { text: fault, failed: true };
    if (name === undefined) {
      const { provider, model, contextTokens, contextSource, offline } = session.model();
      const others = await host.models(signal);
      const shown = others.slice(0, most).map(({ name: each, note }) => [each, note] as const);
      const list = others.length === 0 ? "" : `\nOthers: /model NAME\n${rows(shown)}`;
      const more = others.length > most ? `\n  and ${others.length - most} more: hermes model list` : "";
      const window = `window ${tokenCount(contextTokens)} tokens (${contextSource})`;
      const about = offline ? "the built-in rules, no AI" : window;
      return { text: `${provider}/${model}, ${about}${list}${more}` };
    }
    const used = await session.useModel(name);
    if (!used.ok) return { text: used.error.message, failed: true };
    const { provider, model, contextTokens } = used.value;
    const text = `Now ${provider}/${model}, window ${tokenCount(contextTokens)} tokens.${await missingKey(provider, host, signal)}`;
    if (!isKept) return { text: `${text} Only in this conversation; --global keeps it.` };
    const kept = await host.keepModel(used.value, signal);
    return kept.ok ? { text: `${text} Kept for all conversations.` } : { text: kept.error.message, failed: true };
  },
});

const most = 20;

/** A model of a provider that cannot be asked yet. Servers and mixtures of your own say it themselves. */
async function missingKey(provider: string, host: CommandHost, signal: AbortSignal): Promise<string> {
  if (/^(?:custom|moa|offline)\b/u.test(provider)) return "";
  const isUsable = (await host.providers(signal)).some(({ name }) => name === provider);
  return isUsable ? "" : ` There is no key for it yet: hermes auth add ${provider}.`;
}

interface ModelWish {
  /** With its provider, where one is named. */
  readonly name?: string;
  readonly isKept: boolean;
  readonly fault?: string;
}

function wishIn(args: string): ModelWish {
  const words = args.replaceAll(/--provider[=\s]\s*/gu, "--provider=").split(/\s+/u);
  const names = words.filter((word) => word !== "" && !word.startsWith("--"));
  const options = words.filter((word) => word.startsWith("--"));
  const isKept = options.includes("--global");
  const [name, extra] = names;
  const provider = options.find((option) => option.startsWith("--provider="))?.slice("--provider=".length);
  const unknown = options.find((option) => option !== "--global" && option !== `--provider=${provider}`) ?? extra;
  if (unknown !== undefined) return { isKept, fault: `Not understood: ${unknown}. /help model says what fits.` };
  if (provider === undefined) return { isKept, ...(name !== undefined && { name }) };
  if (provider === "") return { isKept, fault: "--provider needs the id of a provider." };
  if (name === undefined) return { isKept, name: provider };
  return {
    isKept,
    name: name.startsWith(`${provider}/`) ? name : `${provider}${provider.startsWith("custom:") ? ":" : "/"}${name}`,
  };
}

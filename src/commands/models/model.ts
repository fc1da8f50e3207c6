import { rows, tokenCount } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";

export const modelCommand: SlashCommand = {
  name: "model",
  args: "[name] [--provider id] [--global] [--refresh] [--force]",
  summary: "Show the model, or switch it from the next request on",
  whileBusy: "refuse",
  async choices(before, { run }) {
    if (before.at(-1) === "--provider") return [];
    const options = ["--global", "--provider", "--refresh", "--force"].filter((option) => !before.includes(option));
    if (before.some((word) => !word.startsWith("-"))) return options;
    const { names } = await run("model.names", {});
    return [...names.map(({ name, note }) => ({ value: name, summary: note })), ...options];
  },
  async run(args, { run, fixedSettings, hasPanels }) {
    const isFresh = /(?:^|\s)--refresh(?=\s|$)/u.test(args);
    const isForced = /(?:^|\s)--force(?=\s|$)/u.test(args);
    const { name, isGlobal, fault } = wishIn(args.replaceAll(/(?:^|\s)--(?:refresh|force)(?=\s|$)/gu, ""));
    if (fault !== undefined) return { text: fault, failed: true };
    const refreshed = isFresh ? await refreshText(run) : "";
    if (args.trim() === "" && hasPanels) return { text: "", effect: { kind: "open", panel: "models" } };
    if (name === undefined) return { text: `${refreshed}${await currentText(run)}` };
    const { unlisted } = isForced ? { unlisted: null } : await run("model.check", { model: name });
    if (unlisted !== null)
      return { text: `${refreshed}${unlisted}\nTo use it anyway: /model ${args.trim()} --force`, failed: true };
    const { provider, model, contextTokens } = await run("session.useModel", { model: name });
    const window = `window ${tokenCount(contextTokens)} tokens`;
    const text = `Now using ${provider}/${model}, ${window}.${await missingKey(provider, run)}`;
    if (!isGlobal) return { text: `${text} In this session only; --global makes it the default.` };
    if (fixedSettings !== undefined) return { text: fixedSettings, failed: true };
    await run("model.use", { model, provider, force: true });
    return {
      text: `${text} It is now the default.`,
      effect: { kind: "default-model", model: `${provider}/${model}` },
    };
  },
};

const maxShown = 20;

/** Fetches the model lists again, and names the providers that did not respond. */
async function refreshText(run: SlashContext["run"]): Promise<string> {
  const { faults } = await run("model.list", { refresh: true });
  return ["The lists of models are up to date.", ...faults, ""].join("\n");
}

async function currentText(run: SlashContext["run"]): Promise<string> {
  const { provider, model, contextTokens, contextSource, offline } = (await run("session.status", {})).model;
  const { names } = await run("model.names", {});
  const shown = names.slice(0, maxShown).map(({ name, note }) => [name, note] as const);
  const list = names.length === 0 ? "" : `\nOthers: /model NAME\n${rows(shown)}`;
  const more = names.length > maxShown ? `\n  and ${names.length - maxShown} more: hermes model list` : "";
  const about = offline ? "built-in rules, not an AI" : `window ${tokenCount(contextTokens)} tokens (${contextSource})`;
  return `${provider}/${model}, ${about}${list}${more}`;
}

/** A note that the provider has no key yet. Custom servers and mixtures report this themselves. */
async function missingKey(provider: string, run: SlashContext["run"]): Promise<string> {
  if (/^(?:custom|moa|offline)\b/u.test(provider)) return "";
  const { providers } = await run("model.list", { all: true });
  const isUsable = providers.some(({ id, usable }) => id === provider && usable);
  return isUsable ? "" : ` There is no key for it yet: hermes auth add ${provider}.`;
}

interface ModelWish {
  /** The model name, which may include the provider: `provider/model`. */
  readonly name?: string;
  readonly isGlobal: boolean;
  readonly fault?: string;
}

function wishIn(args: string): ModelWish {
  const words = args.replaceAll(/--provider[=\s]\s*/gu, "--provider=").split(/\s+/u);
  const names = words.filter((word) => word !== "" && !word.startsWith("--"));
  const options = words.filter((word) => word.startsWith("--"));
  const isGlobal = options.includes("--global");
  const [name, extra] = names;
  const provider = options.find((option) => option.startsWith("--provider="))?.slice("--provider=".length);
  const unknown = options.find((option) => option !== "--global" && option !== `--provider=${provider}`) ?? extra;
  if (unknown !== undefined) return { isGlobal, fault: `Unknown argument: ${unknown}. See /help model.` };
  if (provider === undefined) return { isGlobal, ...(name !== undefined && { name }) };
  if (provider === "") return { isGlobal, fault: "--provider needs the id of a provider." };
  if (name === undefined) return { isGlobal, name: provider };
  return {
    isGlobal,
    name: name.startsWith(`${provider}/`) ? name : `${provider}${provider.startsWith("custom:") ? ":" : "/"}${name}`,
  };
}

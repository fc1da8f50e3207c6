import { splitWords } from "../../base/text/split-words.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import type { OutputOf } from "../../operations/catalog.ts";
import type { SlashContext } from "../slash-command.ts";

type ServerPrompt = OutputOf<"servers.prompts">["prompts"][number];

/** Runs `/server:prompt arg=value …`, a prompt of an MCP server. Undefined if there is no such prompt. */
export async function useServerPrompt(
  name: string,
  given: string,
  ctx: SlashContext,
): Promise<CommandReply | undefined> {
  if (!name.includes(":")) return undefined;
  const { prompts } = await ctx.run("servers.prompts", {});
  const command = prompts.find((each) => each.name === name.toLowerCase());
  if (!command) return undefined;
  const args = await completeArgs(command, readArgs(command, given), ctx);
  if ("text" in args) return args;
  const { server, prompt } = command;
  const { content } = await ctx.run("servers.prompt", { server, prompt, args: args.values, session: ctx.sessionId });
  return { text: `prompt ${prompt} of ${server}`, effect: { kind: "prompt", content, isOrder: true } };
}

/** `arg=value` words; the first argument without a value takes the other words. */
function readArgs({ arguments: parameters }: ServerPrompt, given: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  const rest: string[] = [];
  for (const word of splitWords(given) ?? given.split(/\s+/u)) {
    const [, key = "", value = ""] = /^([^=\s]+)=([\s\S]*)$/u.exec(word) ?? [];
    if (parameters.some((argument) => argument.name === key)) values[key] = value;
    else rest.push(word);
  }
  const open = parameters.find(({ name }) => !Object.hasOwn(values, name));
  if (open && rest.length > 0) values[open.name] = rest.join(" ");
  return values;
}

/** Asks for required arguments that are missing. */
async function completeArgs(
  { server, prompt, name, description, arguments: parameters }: ServerPrompt,
  values: Readonly<Record<string, string>>,
  { fillIn, signal }: SlashContext,
): Promise<CommandReply | { readonly values: Readonly<Record<string, string>> }> {
  const missing = parameters.filter((argument) => argument.isRequired && !Object.hasOwn(values, argument.name));
  if (missing.length === 0) return { values };
  const usage = parameters
    .map((argument) => (argument.isRequired ? `${argument.name}=…` : `[${argument.name}=…]`))
    .join(" ");
  if (!fillIn) return { text: `Arguments are missing. Usage: /${name} ${usage}`, failed: true };
  const fields = missing.map(({ name: key, description: about }) => ({
    kind: "text" as const,
    name: key,
    isRequired: true,
    ...(about !== "" && { description: about }),
  }));
  const text = description === "" ? `The prompt ${prompt} needs more.` : description;
  const filled = await fillIn({ from: `the MCP server ${server}`, text, fields }, signal);
  if (!filled.ok) return { text: "Nothing was sent." };
  const typed = Object.entries(filled.value).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return { values: { ...values, ...Object.fromEntries(typed) } };
}

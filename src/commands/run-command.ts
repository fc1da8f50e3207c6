import { PlainFailure } from "../base/plain-failure.ts";
import { reasonOf } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import type { Command, CommandReply } from "../contracts/host/command.ts";
import type { Session } from "../contracts/session/runtime.ts";
import { useServerPrompt } from "./extensions/server-prompt.ts";
import { useSkill } from "./knowledge/use-skill.ts";
import { sureWords } from "./reply-text.ts";
import { resolveCommand } from "./resolve-command.ts";
import type { SlashContext } from "./slash-command.ts";

/**
 * Runs the command with the given name, else the prompt of an MCP server, else the skill, else the command with this prefix. `session` has the turn that
 * a command may have to stop first. Rejects only with the signal's reason.
 */
export async function runCommand(
  line: string,
  byBeginning: boolean,
  session: Pick<Session, "turn">,
  ctx: SlashContext,
): Promise<CommandReply> {
  const exact = resolveCommand(line, ctx.commands, false);
  const used = exact.kind === "found" ? undefined : await namedReply(line, ctx);
  if (used) return used;
  const resolved = byBeginning ? resolveCommand(line, ctx.commands, true) : exact;
  if (resolved.kind === "unknown") {
    const skills = (await ctx.run("skills.names", {})).skills.map(({ name }) => name);
    const near = [...resolved.near, ...nearest(resolved.word, skills, 2)].slice(0, 3).map((name) => `/${name}`);
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "/help lists the commands.";
    return { text: `There is no command /${resolved.word}. ${hint}`, failed: true };
  }
  if (resolved.kind === "several") {
    const names = resolved.names.map((name) => `/${name}`);
    return { text: `/${resolved.word} could be ${names.join(" or ")}.`, failed: true };
  }
  const { command, args } = resolved;
  const unknown = unknownArgument(command, args);
  if (unknown !== undefined) return { text: unknown, failed: true };
  const { turn } = session;
  if (turn && command.whileBusy === "refuse") {
    return { text: `A turn is running: stop it first (/stop), then /${command.name}.`, failed: true };
  }
  if (turn && command.whileBusy === "interrupt") {
    turn.abort(`/${command.name}`);
    await turn.done;
  }
  ctx.started?.(command.name, args);
  return replyOf(command.name, ctx, () => command.run(args, ctx));
}

/** The complaint about an argument that the command does not have. */
function unknownArgument({ name, args: usage, maxWords }: Command, args: string): string | undefined {
  const words = args.split(/\s+/u).filter((word) => word !== "");
  if (words.length === 0) return undefined;
  if (usage === undefined) return `/${name} takes no arguments. Nothing was done.`;
  if (maxWords === undefined) return undefined;
  const options = [...sureWords, ...usage.split(/[\s|[\]]+/u)];
  const unknown = words.find((word) => word.startsWith("-") && !options.includes(word)) ?? words[maxWords];
  return unknown === undefined ? undefined : `/${name} does not know "${unknown}". Usage: /${name} ${usage}`;
}

/** Undefined when no prompt of a server and no skill has that name. */
async function namedReply(line: string, ctx: SlashContext): Promise<CommandReply | undefined> {
  const [, name = "", request = ""] = /^\s*\/(\S*)\s*([\s\S]*)$/u.exec(line) ?? [];
  if (name === "") return undefined;
  return replyOf(
    name,
    ctx,
    async () =>
      (await useServerPrompt(name, request.trim(), ctx)) ?? useSkill(name.toLowerCase(), request.trim(), ctx.run),
  );
}

async function replyOf<Reply>(
  name: string,
  { signal }: SlashContext,
  work: () => Promise<Reply>,
): Promise<Reply | CommandReply> {
  try {
    return await work();
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (thrown instanceof PlainFailure) return { text: thrown.message, failed: true };
    return { text: `/${name} failed: ${reasonOf(thrown)}`, failed: true };
  }
}

import { sleep } from "../base/async/abort.ts";
import { systemClock } from "../base/clock.ts";
import { PlainFailure } from "../base/plain-failure.ts";
import { reasonOf } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import type { Command, CommandReply } from "../contracts/host/command.ts";
import type { Session, Turn } from "../contracts/session/runtime.ts";
import { useServerPrompt } from "./extensions/server-prompt.ts";
import { useSkill } from "./knowledge/use-skill.ts";
import { sureWords } from "./reply-text.ts";
import { resolveCommand } from "./resolve-command.ts";
import { aliasedLine, runQuickCommand } from "./settings/quick-command.ts";
import type { SlashContext } from "./slash-command.ts";

/**
 * Runs the command of a line. Looks for the name in this order: built-in command, quick command of the settings,
 * command of a plugin, prompt of an MCP server, bundle, skill, then a prefix that only one command has. `session`
 * provides the turn that a command may have to stop first. Rejects only with the signal's reason.
 */
export async function runCommand(
  line: string,
  byBeginning: boolean,
  session: Pick<Session, "turn" | "stop">,
  ctx: SlashContext,
  aliases = 0,
): Promise<CommandReply> {
  const exact = resolveCommand(line, ctx.commands, false);
  if (exact.kind !== "found" || exact.command.plugin !== undefined) {
    const { name, args } = wordsIn(line);
    const quick = (await ctx.run("quick.list", {})).commands.find((each) => each.name === name.toLowerCase());
    const aliased = quick && aliasedLine(quick, args);
    if (aliased !== undefined && aliases >= maxAliases)
      return { text: `/${name} leads to too many other quick commands.`, failed: true };
    if (aliased !== undefined) return runCommand(aliased, byBeginning, session, ctx, aliases + 1);
    if (quick) return replyOf(name, ctx, () => runQuickCommand(quick, args, ctx));
  }
  const used = exact.kind === "found" ? undefined : await namedReply(line, ctx);
  if (used) return used;
  const resolved = byBeginning ? resolveCommand(line, ctx.commands, true) : exact;
  if (resolved.kind === "unknown") {
    const skills = (await ctx.run("skills.names", {})).skills.map(({ name }) => name);
    const quick = (await ctx.run("quick.list", {})).commands.map(({ name }) => name);
    const names = new Set([...resolved.near, ...nearest(resolved.word, [...quick, ...skills], 2)]);
    const near = [...names].slice(0, 3).map((name) => `/${name}`);
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "/help lists the commands.";
    return { text: `There is no command /${resolved.word}. ${hint}`, failed: true };
  }
  if (resolved.kind === "several") {
    const names = resolved.names.map((name) => `/${name}`);
    return { text: `/${resolved.word} could be ${listed(names)}.`, failed: true };
  }
  const { command, args } = resolved;
  const unknown = unknownArgument(command, args);
  if (unknown !== undefined) return { text: unknown, failed: true };
  const { turn } = session;
  // A queued prompt may have started the next turn at once.
  if (turn && command.whileBusy === "refuse" && (!(await endsSoon(turn, ctx.signal)) || session.turn)) {
    return { text: `A turn is running: stop it first (/stop), then /${command.name}.`, failed: true };
  }
  const hasStopped = turn !== undefined && command.whileBusy === "interrupt";
  if (hasStopped) {
    session.stop(`/${command.name}`);
    await turn.done;
  }
  ctx.started?.(command.name, args);
  const reply = await replyOf(command.name, ctx, () => command.run(args, hasStopped ? { ...ctx, hasStopped } : ctx));
  // Somebody who typed a prefix, perhaps of another command, sees which command failed.
  const isPrefix = exact.kind !== "found" && !reply.text.includes(`/${command.name}`);
  return reply.failed && isPrefix ? { ...reply, text: `/${command.name}: ${reply.text}` } : reply;
}

/** Saving a turn takes a moment after its answer is complete. A command that is typed then waits for it. */
async function endsSoon(turn: Turn, signal: AbortSignal): Promise<boolean> {
  const waiting = new AbortController();
  const stop = AbortSignal.any([signal, waiting.signal]);
  const isOver = await Promise.race([
    turn.done.then(() => true),
    sleep(endingMs, stop, systemClock).then(
      () => false,
      () => false,
    ),
  ]);
  waiting.abort();
  return isOver;
}

const endingMs = 500;

/** Maximum number of nested aliases. More nesting counts as a loop. */
const maxAliases = 5;

function wordsIn(line: string): { readonly name: string; readonly args: string } {
  const [, name = "", args = ""] = /^\s*\/(\S*)\s*([\s\S]*)$/u.exec(line) ?? [];
  return { name, args: args.trim() };
}

/** The error message about an argument that the command does not accept. */
function unknownArgument({ name, args: usage, maxWords }: Command, args: string): string | undefined {
  const words = args.split(/\s+/u).filter((word) => word !== "");
  if (words.length === 0) return undefined;
  if (usage === undefined) return `/${name} takes no arguments. Nothing was done.`;
  if (maxWords === undefined) return undefined;
  const options = [...sureWords, ...usage.split(/[\s|[\]]+/u)];
  const unknown = words.find((word) => word.startsWith("-") && !options.includes(word)) ?? words[maxWords];
  return unknown === undefined ? undefined : `/${name} does not know "${unknown}". Usage: /${name} ${usage}`;
}

/** Undefined if no MCP prompt and no skill has that name. */
async function namedReply(line: string, ctx: SlashContext): Promise<CommandReply | undefined> {
  const { name, args: request } = wordsIn(line);
  if (name === "") return undefined;
  return replyOf(
    name,
    ctx,
    async () => (await useServerPrompt(name, request, ctx)) ?? useSkill(name.toLowerCase(), request, ctx.run),
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

/** Example: `/a, /b or /c`. */
function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" or ");
}

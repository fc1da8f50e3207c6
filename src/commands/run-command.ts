import { PlainFailure } from "../base/plain-failure.ts";
import { reasonOf } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import type { CommandReply } from "../contracts/host/command.ts";
import { resolveCommand } from "./resolve-command.ts";
import { useSkill } from "./skills.command.ts";
import type { SlashContext } from "./slash-command.ts";

/**
 * Runs what a line names, as the command says for the time while a turn runs: a command, else a skill of that name, else
 * a command that begins so. Rejects only with the signal's reason.
 */
export async function runCommand(line: string, byBeginning: boolean, ctx: SlashContext): Promise<CommandReply> {
  const exact = resolveCommand(line, ctx.host.commands, false);
  const used = exact.kind === "found" ? undefined : await skillReply(line, ctx);
  if (used) return used;
  const resolved = byBeginning ? resolveCommand(line, ctx.host.commands, true) : exact;
  if (resolved.kind === "unknown") {
    const skills = ctx.host.skills?.usable().map(({ name }) => name) ?? [];
    const near = [...resolved.near, ...nearest(resolved.word, skills, 2)].slice(0, 3).map((name) => `/${name}`);
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "/help lists what there is.";
    return { text: `There is no command /${resolved.word}. ${hint}`, failed: true };
  }
  if (resolved.kind === "several") {
    const names = resolved.names.map((name) => `/${name}`);
    return { text: `/${resolved.word} could be ${names.join(" or ")}.`, failed: true };
  }
  const { command, args } = resolved;
  const { turn } = ctx.session;
  if (turn && command.whileBusy === "refuse") {
    return { text: `A turn is running: stop it first (/stop), then /${command.name}.`, failed: true };
  }
  if (turn && command.whileBusy === "interrupt") {
    turn.abort(`/${command.name}`);
    await turn.done;
  }
  try {
    return await command.run(args, ctx);
  } catch (thrown) {
    if (ctx.signal.aborted) throw thrown;
    if (thrown instanceof PlainFailure) return { text: thrown.message, failed: true };
    return { text: `/${command.name} failed: ${reasonOf(thrown)}`, failed: true };
  }
}

/** Nothing when no skill has that name. */
async function skillReply(line: string, { host, signal }: SlashContext): Promise<CommandReply | undefined> {
  const [, name = "", request = ""] = /^\s*\/(\S*)\s*([\s\S]*)$/u.exec(line) ?? [];
  if (!host.skills || name === "") return undefined;
  try {
    return await useSkill(host.skills, name.toLowerCase(), request.trim(), signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return { text: `/${name} failed: ${reasonOf(thrown)}`, failed: true };
  }
}

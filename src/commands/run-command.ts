import { reasonOf } from "../base/result.ts";
import type { CommandContext, CommandReply } from "../contracts/command.ts";
import { resolveCommand } from "./resolve-command.ts";

/** Runs what a line names, as the command says for the time while a turn runs. Rejects only with the signal's reason. */
export async function runCommand(line: string, byBeginning: boolean, ctx: CommandContext): Promise<CommandReply> {
  const resolved = resolveCommand(line, ctx.host.commands, byBeginning);
  if (resolved.kind === "unknown") {
    const near = resolved.near.map((name) => `/${name}`);
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
    return { text: `/${command.name} failed: ${reasonOf(thrown)}`, failed: true };
  }
}

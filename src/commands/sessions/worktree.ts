import { basename } from "node:path";

import type { CommandReply } from "../../contracts/host/command.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";
import { leaveSession } from "./leave-session.ts";

export const worktreeCommand: SlashCommand = {
  name: "worktree",
  args: "[list | new [now] | remove NAME]",
  summary: "Continue in a new session with a git worktree and branch of its own; list or remove worktrees",
  holdsPrompts: true,
  async run(args, ctx) {
    const [verb = "list", name = ""] = args.split(/\s+/u).filter((word) => word !== "");
    if (verb === "new" || verb === "create") return create(args, ctx);
    if (verb === "remove" || verb === "rm") return remove(name, ctx);
    if (verb !== "list") return { text: "/worktree has: list, new, remove NAME.", failed: true };
    const { worktrees } = await ctx.run("worktree.list", {});
    return {
      text:
        rows(worktrees.map(({ path, branch }) => [basename(path), `${branch}, ${path}`])) ||
        "There are no worktrees of sessions. /worktree new starts one.",
    };
  },
};

async function create(args: string, ctx: SlashContext): Promise<CommandReply> {
  const { isLeft, text } = await leaveSession(args, ctx);
  if (!isLeft) return { text: "The session continues." };
  const { path, branch, cwd, notes } = await ctx.run("worktree.create", {});
  const lines = [`A new session works in ${path} on branch ${branch}.`, ...notes, text];
  return { text: lines.filter((line) => line !== "").join("\n"), effect: { kind: "new", cwd } };
}

/** Removes a worktree only if none of its work would be lost. */
async function remove(name: string, { run }: SlashContext): Promise<CommandReply> {
  const { worktrees } = await run("worktree.list", {});
  const match = worktrees.find(({ path, branch }) => [basename(path), path, branch].includes(name));
  if (!match) return { text: `There is no worktree "${name}". /worktree list shows them.`, failed: true };
  const { cwd } = await run("session.status", {});
  if (`${cwd}/`.startsWith(`${match.path}/`))
    return { text: "This session works in that worktree. Leave it first: /new", failed: true };
  const { isRemoved, why } = await run("worktree.close", { ...match });
  if (isRemoved) return { text: `Removed ${match.path} and its branch ${match.branch}.` };
  return {
    text: `The worktree was not removed, because ${why}. To remove it anyway: git worktree remove --force ${match.path}`,
    failed: true,
  };
}

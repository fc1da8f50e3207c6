import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import { withoutControls } from "../without-controls.ts";

/**
 * Runs a conversation in a new worktree, and removes the worktree afterwards if it has no changes. `isRequired`: false
 * if only the settings ask for a worktree; then the conversation runs without one if it cannot be created.
 */
export async function inWorktree(
  ctx: CliContext,
  isRequired: boolean,
  converse: (inner: CliContext) => Promise<Reply>,
): Promise<Reply> {
  const tell = (text: string) =>
    void (ctx.json || ctx.io.warn(`${ctx.paint.dim(withoutControls(`hermes: ${text}`))}\n`));
  const created = await ctx.run("worktree.create", {}).catch((thrown: unknown) => {
    if (isRequired || !(thrown instanceof CommandFailed) || ctx.signal.aborted) throw thrown;
    tell(`no worktree: ${thrown.message}`);
    return undefined;
  });
  if (!created) return converse(ctx);
  const { path, branch, root, cwd, notes } = created;
  tell(`working in ${path} on branch ${branch}`);
  for (const note of notes) tell(note);
  try {
    return await converse({ ...ctx.inFolder(cwd), json: ctx.json });
  } finally {
    const { isRemoved, why } = await ctx.run("worktree.close", { path, branch, root });
    if (isRemoved) tell("the worktree had no changes and was removed");
    else tell(`the worktree stays, because ${why}: ${path} (to remove it: git worktree remove ${path})`);
  }
}

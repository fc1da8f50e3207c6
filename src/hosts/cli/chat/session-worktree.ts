import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import { withoutControls } from "../without-controls.ts";

/**
 * Runs a conversation in a new worktree, and removes it afterwards if nothing is in it. `isRequired` is false if only
 * the settings wish for it: then the conversation starts without one if there cannot be one.
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
    if (isRemoved) tell("the worktree was empty and is removed");
    else tell(`the worktree stays, because ${why}: ${path} (to remove it: git worktree remove ${path})`);
  }
}

import type { CliContext, Reply } from "../command.ts";
import { withoutControls } from "../without-controls.ts";

/** Runs a conversation in a new worktree, and removes it afterwards if nothing is in it. */
export async function inWorktree(ctx: CliContext, converse: (inner: CliContext) => Promise<Reply>): Promise<Reply> {
  const { path, branch, root, cwd, notes } = await ctx.run("worktree.create", {});
  const tell = (text: string) =>
    void (ctx.json || ctx.io.warn(`${ctx.paint.dim(withoutControls(`hermes: ${text}`))}\n`));
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

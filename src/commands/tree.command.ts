import { systemClock } from "../base/clock.ts";
import { plural } from "../base/text/text.ts";
import { filesWish, goToBranch } from "./branch.command.ts";
import { drawTree } from "./draw-tree.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "tree",
  args: "[all | branch|number [--files]]",
  summary: "Show the branches of this session, or go to one",
  where: "everywhere",
  whileBusy: "now",
  async run(args, ctx) {
    const { session, host } = ctx;
    const isWhole = args === "all";
    if (args !== "" && !isWhole) {
      if (session.turn) return { text: "A turn is running: stop it first (/stop).", failed: true };
      return goToBranch(filesWish(args), ctx);
    }
    const tree = await session.tree();
    const now = systemClock.now();
    const drawn = drawTree(tree, { columns: Math.min(host.columns ?? 80, 160), now, isWhole });
    const others = tree.branches.length - 1;
    const how =
      others === 0
        ? "/branch [NUMBER] [NAME] begins a branch, from here or behind an exchange."
        : `${plural(others, "other branch")}: /tree NAME goes there, --files brings its files back.`;
    return { text: `${drawn}\n${how}` };
  },
});

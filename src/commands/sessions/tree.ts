import { systemClock } from "../../base/clock.ts";
import { plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";
import { drawTree } from "./draw-tree.ts";
import { filesWish, goToBranch } from "./switch-branch.ts";

export const treeCommand: SlashCommand = {
  name: "tree",
  args: "[all | branch|number [--files]]",
  summary: "Show the branches of this session, or switch to one",
  holdsPrompts: true,
  async run(args, ctx) {
    if (args === "" && ctx.hasPanels) return { text: "", effect: { kind: "open", panel: "tree" } };
    const isWhole = args === "all";
    if (args !== "" && !isWhole) {
      const { isBusy } = await ctx.run("session.status", {});
      return isBusy
        ? { text: "A turn is running: stop it first (/stop).", failed: true }
        : goToBranch(filesWish(args), ctx);
    }
    const tree = await ctx.run("session.tree", {});
    const drawn = drawTree(tree, { columns: Math.min(ctx.columns, 160), now: systemClock.now(), isWhole });
    const others = tree.branches.length - 1;
    const hint =
      others === 0
        ? "/branch [NUMBER] [NAME] starts a branch here, or after an exchange."
        : `${plural(others, "other branch")}: /tree NAME switches to it, --files restores its files.`;
    return { text: `${drawn}\n${hint}` };
  },
};

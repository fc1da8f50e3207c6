import type { SlashCommand } from "../slash-command.ts";
import { subgoalLines } from "./goal-lines.ts";

export const subgoalCommand: SlashCommand = {
  name: "subgoal",
  args: "<text> | remove N | clear",
  summary: "Add a criterion to the goal; all criteria must be met",
  async run(args, { run }) {
    if (args === "" || args === "list") {
      const { goal } = await run("goals.status", {});
      if (!goal) return { text: "There is no goal. /goal TEXT sets one." };
      return { text: subgoalLines(goal.subgoals).join("\n") || "The goal has no further criteria." };
    }
    const removed = /^(?:remove|rm)\s+(?<place>\d+)$/u.exec(args)?.groups?.["place"];
    const { subgoals } =
      args === "clear"
        ? await run("goals.clearSubgoals", {})
        : removed === undefined
          ? await run("goals.addSubgoal", { text: args })
          : await run("goals.removeSubgoal", { place: Number(removed) });
    return { text: subgoalLines(subgoals).join("\n") || "The goal has no further criteria." };
  },
};

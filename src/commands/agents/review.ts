import { plural } from "../../base/text/text.ts";
import { durationText } from "../../base/text/time-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const reviewChangesCommand: SlashCommand = {
  name: "review",
  args: "[RANGE | request]",
  summary: "Let an agent review the uncommitted changes, a range of commits, or something that you name",
  async run(args, { run }) {
    const goal =
      args === ""
        ? "Review the uncommitted changes of this working tree (git diff HEAD, and new files)."
        : `Review this: ${args}`;
    const { status, summary, why, agentId, modelCalls, durationMs } = await run("agents.run", {
      agent: "review",
      goal,
    });
    const facts = `${agentId}, ${plural(modelCalls, "model call")}, ${durationText(durationMs)}`;
    if (status !== "completed")
      return { text: `The review ended early: ${why ?? status} (${facts})\n\n${summary}`, failed: true };
    return { text: `${summary}\n\n(${facts}; the model reads this review with your next prompt)` };
  },
};

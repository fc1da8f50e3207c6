import { plural, oneLine } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const learningsCommand: SlashCommand = {
  name: "learnings",
  args: "[forget ID]",
  maxWords: 2,
  summary: "Show what Hermes learned from failures, or delete it",
  async run(args, { run }) {
    const [verb = "", id] = args.trim().split(/\s+/u);
    if (verb === "forget") {
      if (id === undefined) return { text: "Pass an id; /learnings lists them.", failed: true };
      await run("learnings.forget", { id });
      return { text: `Forgot ${id}.` };
    }
    if (verb !== "") return { text: `/learnings has no "${verb}"; it has: forget.`, failed: true };
    const { learnings } = await run("learnings.list", {});
    if (learnings.length === 0) return { text: "There are no learnings yet." };
    const lines = learnings.slice(0, maxShown).map(({ id: name, mark, fix, confidence }) => {
      const certain = `${Math.round(confidence * 100)} %`;
      return `- ${name} (${certain}) ${mark.program || mark.tool}: ${oneLine(mark.error, 80)} → ${oneLine(fix, 160)}`;
    });
    const more = learnings.length - maxShown;
    return {
      text: `${lines.join("\n")}${more > 0 ? `\n${plural(more, "learning")} more: hermes learnings list` : ""}`,
    };
  },
};

const maxShown = 20;

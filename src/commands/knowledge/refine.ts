import { promptOf } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const refineCommand: SlashCommand = {
  name: "refine",
  args: "[skill] [wishes]",
  summary: "Improve a skill with what this conversation showed; default: the skills that it used",
  whileBusy: "refuse",
  async run(args, { run }) {
    const [, name = "", wishes = ""] = /^(\S*)\s*([\s\S]*)$/u.exec(args) ?? [];
    const { skills } = await run("skills.names", {});
    const isSkill = skills.some((each) => each.name === name);
    const which = isSkill ? `the skill ${name}` : "the skills that this conversation used";
    const more = isSkill ? wishes : args;
    return {
      text: "",
      effect: { kind: "prompt", content: promptOf(refineRequest(which, more)), isOrder: true },
    };
  },
};

function refineRequest(which: string, wishes: string): string {
  return `Improve ${which} with what this conversation showed.${wishes === "" ? "" : ` The person adds: ${wishes}`}

Read each with skill_view first. Correct steps that failed, add what was missing, remove what misled; keep its form, keep it short, keep what works. Change it with skill_manage. If nothing needs a change, say so and change nothing. Answer with what you changed and why, one line each.`;
}

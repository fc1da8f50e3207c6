import { oneLine, plural } from "../../base/text/text.ts";
import { timeText } from "../../base/text/time-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const journeyCommand: SlashCommand = {
  name: "journey",
  args: "[count]",
  maxWords: 1,
  summary: "Show what Hermes remembered and learned over time, newest last",
  async run(args, { run }) {
    const count = args === "" ? defaultCount : Number(args);
    if (!Number.isSafeInteger(count) || count < 1) return { text: `"${args}" is not a number.`, failed: true };
    const [{ changes }, { learnings }, { skills }] = await Promise.all([
      run("memory.history", {}),
      run("learnings.list", {}),
      run("curator.status", {}),
    ]);
    const remembered = changes.flatMap((change) =>
      change.added.map(({ text }) => ({ time: change.at, line: `remembered: ${oneLine(text, 120)}` })),
    );
    const learned = learnings.map(({ mark, fix, createdAt }) => ({
      time: createdAt,
      line: `learned: ${mark.program || mark.tool}: ${oneLine(fix, 120)}`,
    }));
    const steps = [...remembered, ...learned].toSorted((one, other) => one.time - other.time);
    const shown = steps.slice(-count).map(({ time, line }) => `${timeText(time)}  ${line}`);
    const total = `${plural(remembered.length, "note")}, ${plural(learned.length, "learning")}, ${plural(skills.length, "skill")}.`;
    return { text: shown.length === 0 ? `Nothing yet. ${total}` : `${shown.join("\n")}\n\n${total}` };
  },
};

const defaultCount = 30;

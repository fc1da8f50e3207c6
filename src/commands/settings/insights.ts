import { insightsText } from "../insights-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const insightsCommand: SlashCommand = {
  name: "insights",
  args: "[days]",
  maxWords: 1,
  summary: "Show sessions, tokens, cost and tools of the last days (30)",
  choices: () => ["7", "30", "90"],
  async run(args, { run, columns }) {
    const days = args === "" ? undefined : Number(args);
    if (days !== undefined && (!Number.isSafeInteger(days) || days < 1))
      return { text: `"${args}" is not a number of days.`, failed: true };
    return { text: insightsText(await run("insights.report", { days }), { columns, hasBars: true }) };
  },
};

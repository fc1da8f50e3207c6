import { mainArgument } from "../../contracts/tool/main-argument.ts";
import type { SlashCommand } from "../slash-command.ts";

export const outputCommand: SlashCommand = {
  name: "output",
  args: "[count]",
  maxWords: 1,
  summary: "Show the whole output of the last tool call; with N, of the Nth last call",
  async run(args, { run }) {
    const back = args === "" ? 1 : Number(args);
    if (!Number.isSafeInteger(back) || back < 1) return { text: `"${args}" is not a number of calls.`, failed: true };
    const { tool, args: given, failed, summary, output, diff } = await run("session.output", { back });
    const about = [tool, mainArgument(given, 200), ...(failed ? [`✗ ${summary}`] : ["✓"])];
    return { text: about.filter((word) => word !== "").join(" "), output: diff ?? (output || "(no output)") };
  },
};

import { plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const stopCommand: SlashCommand = {
  name: "stop",
  summary: "Stop the running turn and kill the background processes of this session",
  whileBusy: "interrupt",
  async run(_args, { run, hasStopped = false }) {
    const { ended } = await run("session.stopProcesses", {});
    if (ended > 0) return { text: `Stopped; ${plural(ended, "background process")} ended.` };
    return { text: hasStopped ? "" : "Nothing is running." };
  },
};

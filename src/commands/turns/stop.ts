import { plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const stopCommand: SlashCommand = {
  name: "stop",
  summary: "Stop the running turn and kill the background processes of this session",
  whileBusy: "interrupt",
  async run(_args, { run }) {
    const { ended } = await run("session.stopProcesses", {});
    const processes = ended === 0 ? "" : `; ${plural(ended, "background process")} ended`;
    return { text: ended === 0 ? "Nothing is running." : `Stopped${processes}.` };
  },
};

import { plural } from "../base/text.ts";
import { defineCommand } from "../contracts/command.ts";

export default defineCommand({
  name: "stop",
  summary: "Stop the running turn and end this conversation's background processes",
  where: "everywhere",
  whileBusy: "interrupt",
  async run(_args, { session, signal }) {
    const ended = await session.stopProcesses(signal);
    return { text: ended === 0 ? "Nothing runs any more." : `Stopped; ${plural(ended, "background process")} ended.` };
  },
});

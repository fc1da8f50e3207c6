import { plural } from "../base/text/text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "stop",
  summary: "Stop the running turn and end this conversation's background processes",
  where: "everywhere",
  whileBusy: "interrupt",
  async run(_args, { session, signal }) {
    const ended = await session.stopProcesses(signal);
    const processes = ended === 0 ? "" : `; ${plural(ended, "background process")} ended`;
    if (session.turn) return { text: `Stopped${processes}. What waited is asked now: /stop again, or /queue clear.` };
    return { text: ended === 0 ? "Nothing runs any more." : `Stopped${processes}.` };
  },
});

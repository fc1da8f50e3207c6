import { oneLine } from "../../base/text/text.ts";
import { durationText } from "../../base/text/time-text.ts";
import type { BackgroundSession } from "../../contracts/session/background.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const backgroundCommand: SlashCommand = {
  name: "background",
  aliases: ["bg"],
  args: "<prompt> | list | show N | stop N",
  summary: "Run a prompt in a separate session with the same model and tools but no history; a notice reports the end",
  async run(args, { run }) {
    const [, verb = "", count] = /^(list|show|stop)?(?:\s*(\d+))?$/u.exec(args) ?? [];
    if (args === "" || verb === "list") {
      const { sessions } = await run("background.list", {});
      return {
        text:
          rows(sessions.map((each) => [String(each.number), stateText(each)])) || "There are no background sessions.",
      };
    }
    if (verb === "show" && count !== undefined) {
      const shown = await run("background.show", { number: Number(count) });
      return { text: shown.answer ?? `Background ${count} still runs: ${oneLine(shown.prompt, 100)}` };
    }
    if (verb === "stop" && count !== undefined) {
      const { prompt } = await run("background.stop", { number: Number(count) });
      return { text: `Stopped background ${count}: ${oneLine(prompt, 100)}` };
    }
    // A verb without a valid number is probably a typing error; as a prompt it would cost a turn.
    if (/^(?:show|stop)(?:\s+\S+)?$/u.test(args))
      return {
        text: "Pass the number of a background session: /background show 1, /background stop 1. /background list shows the numbers.",
        failed: true,
      };
    const { number, sessionId } = await run("background.start", { prompt: args });
    return { text: `Started background session ${number} (${sessionId}). A notice says when it is done.` };
  },
};

function stateText({ prompt, startedAt, endedAt, end }: BackgroundSession): string {
  const state = end === undefined ? "running" : end === "answered" ? "done" : end;
  const ran = endedAt === undefined ? "" : `, ${durationText(endedAt - startedAt)}`;
  return `${state}${ran}: ${oneLine(prompt, 100)}`;
}

import { oneLine } from "../../base/text/text.ts";
import type { Heartbeat } from "../../contracts/session/goals.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";
import { intervalMs, intervalText } from "./goal-lines.ts";

export const heartbeatCommand: SlashCommand = {
  name: "heartbeat",
  aliases: ["hb"],
  args: "every <interval> <prompt> | status | stop",
  summary: "Repeat a prompt while this session is idle, at most every 60 s",
  async run(args, { run }) {
    if (args === "" || args === "status") {
      const { heartbeat } = await run("goals.status", {});
      return {
        text: heartbeat ? heartbeatText(heartbeat) : "There is no heartbeat. /heartbeat every 10m PROMPT starts one.",
      };
    }
    if (args === "stop" || args === "off") {
      const { runs } = await run("loops.stopHeartbeat", {});
      return { text: `Ended the heartbeat after run ${runs}.` };
    }
    const [, interval = "", prompt = ""] = /^(?:every\s+)?(\S+)\s+([\s\S]+)$/u.exec(args) ?? [];
    const everyMs = intervalMs(interval);
    if (everyMs === undefined)
      return { text: "Pass an interval and a prompt: /heartbeat every 10m check the inbox", failed: true };
    return {
      text: heartbeatText(await run("loops.startHeartbeat", { prompt: prompt.trim(), seconds: everyMs / 1_000 })),
    };
  },
};

function heartbeatText({ prompt, everyMs, runs, nextAt }: Heartbeat): string {
  return rows([
    ["heartbeat", oneLine(prompt, 200)],
    ["rhythm", `${intervalText(everyMs, nextAt)}, while the session is idle`],
    ["runs", String(runs)],
  ]);
}

import { oneLine } from "../../base/text/text.ts";
import type { PromptLoop } from "../../contracts/session/goals.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";
import { intervalMs, intervalText } from "./goal-lines.ts";

export const loopCommand: SlashCommand = {
  name: "loop",
  aliases: ["proactive"],
  args: "[interval] <prompt> [--times N] [--until CONDITION] | status | pause | resume | stop",
  summary: "Repeat a prompt in this session, such as /loop 10m check the build",
  async run(args, { run }) {
    if (args === "" || args === "status") {
      const { loop } = await run("goals.status", {});
      return { text: loop ? loopText(loop) : "There is no loop. /loop [interval] PROMPT starts one." };
    }
    if (args === "pause" || args === "resume" || args === "stop") {
      const loop = await run(`loops.${args}`, {});
      return { text: args === "stop" ? `Ended the loop after run ${loop.runs}.` : loopText(loop) };
    }
    const wish = loopWish(args);
    if ("fault" in wish) return { text: wish.fault, failed: true };
    return { text: loopText(await run("loops.start", wish)) };
  },
};

type LoopRequest = {
  readonly prompt: string;
  readonly seconds: number | undefined;
  readonly times: number | undefined;
  readonly until: string | undefined;
};

/** The options follow the prompt; `--until` takes the rest of the line. */
function loopWish(args: string): LoopRequest | { readonly fault: string } {
  const [, before = "", until] = /^([\s\S]*?)(?:\s--until[=\s]([\s\S]+))?$/u.exec(args) ?? [];
  const timesIn = /\s--times[=\s]\s*(\S+)\s*$/u;
  const count = timesIn.exec(before)?.[1] ?? timesIn.exec(` ${until ?? ""}`)?.[1];
  const times = count === undefined ? undefined : Number(count);
  if (times !== undefined && (!Number.isSafeInteger(times) || times < 1))
    return { fault: `"${count}" is not a number of runs.` };
  const rest = before.replace(timesIn, "").trim();
  const [, first = "", more = ""] = /^(?:every\s+)?(\S+)\s*([\s\S]*)$/u.exec(rest) ?? [];
  const everyMs = intervalMs(first);
  const prompt = (everyMs === undefined ? rest : more).trim();
  if (prompt === "") return { fault: "Pass a prompt: /loop 10m check the build" };
  if (/^--(?:times|until)\b/u.test(prompt))
    return { fault: "Options come after the prompt: /loop 10m check the build --times 3" };
  const condition = until?.replace(timesIn, "").trim();
  return {
    prompt,
    seconds: everyMs === undefined ? undefined : everyMs / 1_000,
    times,
    until: condition === "" ? undefined : condition,
  };
}

function loopText({ prompt, everyMs, runs, times, until, state, reason, nextAt }: PromptLoop): string {
  return rows([
    ["loop", oneLine(prompt, 200)],
    ["state", state === "active" ? intervalText(everyMs, nextAt) : `paused: ${reason ?? ""}`],
    ["runs", times === undefined ? String(runs) : `${runs} of ${times}`],
    ...(until === undefined ? [] : [["until", oneLine(until, 200)] as const]),
  ]);
}

import { oneLine, plural } from "../../base/text/text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import type { Goal } from "../../contracts/session/goals.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";
import { contractLines, gateLines, goalLines, maxGoalChars } from "./goal-lines.ts";

export const goalCommand: SlashCommand = {
  name: "goal",
  args: "<text> | status | show | pause | resume | clear | draft <text> | gate add CMD, remove N, list | wait PID | unwait",
  summary: "Work towards a goal, turn after turn, until a judge says that it is reached",
  async run(args, ctx) {
    const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/u.exec(args) ?? [];
    const act = rest === "" || withText.has(verb) ? acts[verb] : undefined;
    if (act) return act(rest.trim(), ctx);
    const goal = await ctx.run("goals.set", { text: args });
    const checks = goal.gates.length === 0 ? "" : `, ${plural(goal.gates.length, "check")}`;
    return { text: `The goal is set${checks}. /goal pause pauses it. Your own messages always run first.` };
  },
};

/**
 * Verbs that take a text. After any other verb, further words make the whole line a goal: "status of the build is
 * green".
 */
const withText: ReadonlySet<string> = new Set(["draft", "gate", "wait"]);

type Act = (rest: string, ctx: SlashContext) => Promise<CommandReply>;

const show: Act = async (_rest, { run }) => {
  const { goal } = await run("goals.status", {});
  return { text: goal ? goalLines(goal, goal.maxTurns).join("\n") : noGoal };
};

const acts: Readonly<Partial<Record<string, Act>>> = {
  "": show,
  status: show,
  async show(_rest, { run }) {
    const { goal } = await run("goals.status", {});
    if (!goal) return { text: noGoal };
    const { text, contract } = goal;
    // A short goal is complete in the first line.
    const whole = oneLine(text, maxGoalChars) === text ? [] : [text];
    const more = [...whole, ...contractLines(contract)];
    return { text: [...goalLines(goal, goal.maxTurns), ...(more.length > 0 ? ["", ...more] : [])].join("\n") };
  },
  async pause(_rest, { run }) {
    await run("goals.pause", {});
    return { text: "The goal is paused. A running turn continues: /stop stops it." };
  },
  async resume(_rest, { run }) {
    const goal = await run("goals.resume", {});
    return { text: `The goal continues: ${oneLine(goal.text, 120)}` };
  },
  async clear(_rest, { run }) {
    const goal = await run("goals.clear", {});
    return { text: `Forgot the goal: ${oneLine(goal.text, 120)}` };
  },
  async draft(text, { run }) {
    const goal = text === "" ? (await run("goals.status", {})).goal?.text : text;
    if (goal === undefined) return { text: "Pass a goal: /goal draft TEXT", failed: true };
    const contract = await run("goals.draft", { text: goal });
    const lines = contractLines(contract).map((line) => line.replace(/^- \*\*(?<name>[^*]+)\*\*/u, "$<name>"));
    return {
      text: [
        "Draft of a contract for this goal. Edit it and send it, or discard it.",
        "",
        ...contractLines(contract),
      ].join("\n"),
      effect: { kind: "draft", text: `/goal ${goal}\n${lines.join("\n")}` },
    };
  },
  async gate(rest, { run }) {
    const [, verb = "", value = ""] = /^(\S*)\s*([\s\S]*)$/u.exec(rest) ?? [];
    if (verb === "add") {
      if (value === "") return { text: "Pass a command: /goal gate add npm test", failed: true };
      return gatesReply(await run("goals.addGate", { command: value }));
    }
    if (verb === "remove" || verb === "rm") {
      const number = await gateNumber(value, run);
      if (number === undefined)
        return { text: `The goal has no check "${value}". /goal gate list shows them.`, failed: true };
      return gatesReply(await run("goals.removeGate", { place: number }));
    }
    if (verb !== "" && verb !== "list") return { text: "/goal gate has: add COMMAND, remove N, list.", failed: true };
    const { goal } = await run("goals.status", {});
    return goal ? gatesReply(goal) : { text: noGoal };
  },
  async wait(rest, { run }) {
    const [, count = "", unit] = /^(\d+)\s*(s|m|min|h)?$/u.exec(rest) ?? [];
    const number = Number(count);
    const wish = rest.startsWith("proc_")
      ? { process: rest }
      : unit === undefined
        ? { pid: number }
        : { seconds: number * (unit === "s" ? 1 : unit === "h" ? 3_600 : 60) };
    if (!("process" in wish) && !(number > 0))
      return { text: "Name a process or a time: /goal wait 1234, /goal wait proc_12ab, /goal wait 10m", failed: true };
    await run("goals.wait", wish);
    return { text: "" };
  },
  async unwait(_rest, { run }) {
    await run("goals.unwait", {});
    return { text: "" };
  },
};

const noGoal = "There is no goal. /goal TEXT sets one.";

/** The number of a gate, given by number or by the command itself. */
async function gateNumber(value: string, run: SlashContext["run"]): Promise<number | undefined> {
  if (/^\d+$/u.test(value)) return Number(value);
  const { goal } = await run("goals.status", {});
  const index = goal?.gates.findIndex(({ command }) => command === value) ?? -1;
  return index === -1 ? undefined : index + 1;
}

function gatesReply({ gates }: Goal): CommandReply {
  return { text: gateLines(gates).join("\n") || "The goal has no checks. /goal gate add COMMAND adds one." };
}

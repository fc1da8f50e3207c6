import { systemClock } from "../../base/clock.ts";
import { firstSentence, oneLine, plural } from "../../base/text/text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import type { OutputOf } from "../../operations/catalog.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";
import { agentFigures, drawAgents } from "./agent-tree.ts";

export const agentsCommand: SlashCommand = {
  name: "agents",
  args: "[show|steer|stop|apply NUMBER|ID|NAME] [text]",
  summary: "Show the agents in files and the child agents of this session; show, steer or stop one, or apply its patch",
  async run(args, ctx) {
    const [verb = "", child = "", ...words] = args.split(/\s+/u).filter((word) => word !== "");
    const text = words.join(" ");
    switch (verb) {
      case "":
      case "list":
        return overview(ctx);
      case "show":
        return child === "" ? usage("show", "NUMBER or NAME") : show(child, ctx);
      case "stop": {
        if (child === "") return usage("stop", "NUMBER [reason]");
        await ctx.run("agents.stop", { child, ...(text !== "" && { why: text }) });
        return { text: `Stopped agent ${child}. Its report keeps the partial result: /agents show ${child}` };
      }
      case "steer":
        if (child === "" || text === "") return usage("steer", "NUMBER TEXT");
        await ctx.run("agents.steer", { child, text });
        return { text: `Queued. Agent ${child} sees it after its current tool call.` };
      case "apply":
        return child === "" ? usage("apply", "NUMBER [check]") : apply(child, text === "check", ctx);
      default:
        return { text: `"${oneLine(verb, 40)}" is not one of show, steer, stop, apply.`, failed: true };
    }
  },
};

async function apply(given: string, check: boolean, ctx: SlashContext): Promise<CommandReply> {
  const { children } = await ctx.run("agents.children", {});
  const child = children[Number(given) - 1]?.agentId ?? given;
  const { files, root, isTrial, patch } = await ctx.run("agents.apply", { child, check });
  const count = plural(files.length, "file");
  const text = isTrial
    ? `The patch applies: ${count} in ${root}.`
    : `Applied to ${count} in ${root}. Undo: git apply -R ${patch}`;
  return { text: [text, ...files.map((file) => `  ${oneLine(file, 200)}`)].join("\n") };
}

function usage(verb: string, rest: string): CommandReply {
  return { text: `Usage: /agents ${verb} ${rest}`, failed: true };
}

async function overview(ctx: SlashContext): Promise<CommandReply> {
  const [{ agents, problems, untrusted }, { children }] = await Promise.all([
    ctx.run("agents.list", {}),
    ctx.run("agents.children", {}),
  ]);
  const now = systemClock.now();
  const width = ctx.columns - 4;
  const names = agents.map(
    ({ name, source, description }) =>
      [
        source === "bundled" ? name : `${name} (${source})`,
        firstSentence(description, Math.max(20, width - 24)),
      ] as const,
  );
  const numbers = new Map(children.map(({ agentId }, index) => [agentId, `${index + 1} `]));
  const tree = drawAgents(children, { columns: width, now, label: ({ agentId }) => numbers.get(agentId) ?? "" });
  const running = children.filter(({ state }) => state === "running").length;
  return {
    text: [
      "Agents in files:",
      rows(names),
      ...problems.map(({ path, message }) => `  ✗ ${path}: ${oneLine(message, 200)}`),
      ...(untrusted === undefined ? [] : [`  The agents of this project are off: hermes trust ${untrusted}`]),
      children.length === 0
        ? "Child agents of this session: none yet."
        : `Child agents of this session (${plural(children.length, "agent")}, ${running} running):`,
      ...tree.map((line) => `  ${line}`),
    ].join("\n"),
  };
}

/** A child of the session by number or id, or an agent in a file by name. */
async function show(given: string, ctx: SlashContext): Promise<CommandReply> {
  const { agents } = await ctx.run("agents.list", {});
  if (agents.some(({ name }) => name === given)) {
    const { description, source, path, tools, permissions, prompt } = await ctx.run("agents.show", { name: given });
    const facts = [
      `${given} (${source}): ${description}`,
      path,
      `Tools: ${tools === undefined ? "those of its parent" : tools.join(", ") || "none"}`,
      ...(permissions === undefined ? [] : [`Permissions: ${permissions}`]),
    ];
    return { text: `${facts.join("\n")}\n\n${prompt}` };
  }
  return { text: childText(await ctx.run("agents.report", { child: given })) };
}

export function childText({ status, report }: OutputOf<"agents.report">): string {
  const who = status.agent ?? "agent";
  const lines = [
    `${who}: ${oneLine(status.goal, 300)}`,
    `${status.state}, ${agentFigures(status, systemClock.now())}`,
    ...(status.sessionId === undefined ? [] : [`Session: hermes sessions show ${status.sessionId}`]),
    ...(status.doing === undefined || report ? [] : [`Now: ${status.doing}`]),
  ];
  if (!report) return lines.join("\n");
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${title}:`, ...items.slice(0, 20).map((item) => `  ${oneLine(item, 300)}`)];
  return [
    ...lines,
    ...(report.why === undefined ? [] : [`Why: ${report.why}`]),
    ...list("Files changed", report.filesChanged),
    ...list("Commands run", report.commandsRun),
    ...(report.patch === undefined ? [] : [`Changes of its worktree: ${report.patch}`]),
    ...(report.spill === undefined ? [] : [`Whole report: ${report.spill}`]),
    "",
    report.summary,
  ].join("\n");
}

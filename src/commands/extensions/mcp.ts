import { oneLine, plural } from "../../base/text/text.ts";
import type { OutputOf } from "../../operations/catalog.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const mcpCommand: SlashCommand = {
  name: "mcp",
  args: "[server]",
  maxWords: 1,
  summary: "Show the MCP servers, or the tools and prompts of one",
  async choices(before, { run }) {
    if (before.length > 0) return [];
    const { servers } = await run("servers.states", {});
    return servers.map(({ name, state }) => ({ value: name, summary: stateWords[state] }));
  },
  async run(args, ctx) {
    if (args !== "") return { text: serverText(await ctx.run("mcp.inspect", { name: args })) };
    const { servers } = await ctx.run("mcp.list", {});
    if (servers.length === 0) return { text: "MCP servers (0): to add one: hermes mcp add NAME -- COMMAND" };
    const lines = servers.map(({ name, state, tools, why, waiting, isUnconfined }) => {
      const facts = [
        stateWords[state],
        ...(state === "connected" || state === "known" ? [plural(tools.length, "tool")] : []),
        ...(isUnconfined ? ["unconfined"] : []),
        ...(waiting.length > 0 ? [`${plural(waiting.length, "tool")} off: /mcp ${name}`] : []),
        ...(why === undefined ? [] : [oneLine(why, 300)]),
      ];
      return [name, facts.join(" · ")] as const;
    });
    return { text: `MCP servers (${servers.length}):\n${rows(lines)}` };
  },
};

const stateWords: Readonly<Record<OutputOf<"mcp.list">["servers"][number]["state"], string>> = {
  new: "not tried yet",
  connected: "connected",
  known: "ready",
  connecting: "connecting",
  retrying: "no answer, retrying",
  signed_out: "signed out",
  asking: "waits for your consent",
  disabled: "disabled",
  broken: "unusable",
};

function serverText(server: OutputOf<"mcp.inspect">): string {
  const { name, state, why, definitions = [], prompts = [], waiting, hasResources } = server;
  const off = new Map(waiting.map(({ tool, reason }) => [tool, reason]));
  const tools = definitions.map((tool) => {
    const reason = off.get(tool.name);
    const note = reason === undefined ? "" : `off (${reason}): hermes mcp trust ${name} · `;
    return [tool.name, `${note}${oneLine(tool.description, 120)}`] as const;
  });
  return [
    `${name}: ${stateWords[state]}${why === undefined ? "" : `. ${oneLine(why, 400)}`}`,
    ...(tools.length > 0 ? [rows(tools)] : []),
    ...(prompts.length > 0 ? [`Prompts: ${prompts.map((prompt) => `/${name}:${prompt.name}`).join(", ")}`] : []),
    ...(hasResources ? [`Resources: @${name}:URI in a prompt`] : []),
  ].join("\n");
}

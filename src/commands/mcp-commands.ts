import { oneLine, plural } from "../base/text/text.ts";
import type { OutputOf } from "../operations/catalog.ts";
import { rows, sureWords } from "./reply-text.ts";
import type { SlashCommand } from "./slash-command.ts";

export const mcpCommands: readonly SlashCommand[] = [
  {
    name: "mcp",
    args: "[server]",
    maxWords: 1,
    summary: "Show the MCP servers, or the tools and prompts of one",
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
  },
  {
    name: "reload-mcp",
    args: "[now]",
    maxWords: 1,
    summary: "Read the MCP servers of the settings again and connect to new and changed ones",
    whileBusy: "refuse",
    async run(args, ctx) {
      const isSure = sureWords.includes(args);
      const first = await ctx.run("mcp.reload", { isConfirmed: isSure || !ctx.confirm });
      const question = "Connect to the MCP servers of the settings again? Calls that run on changed servers end.";
      if (first.needsConfirmation && !(await ctx.confirm?.(question, ctx.signal)))
        return { text: "Nothing was changed." };
      const done = first.needsConfirmation ? await ctx.run("mcp.reload", { isConfirmed: true }) : first;
      return { text: done.needsConfirmation ? "Nothing was changed." : reloadText(done) };
    },
  },
];

const stateWords: Readonly<Record<OutputOf<"mcp.list">["servers"][number]["state"], string>> = {
  new: "not tried yet",
  connected: "connected",
  known: "ready",
  connecting: "connecting",
  retrying: "no answer, tries again",
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

function reloadText({ problems, ...changes }: Reloaded): string {
  return [changedServersText(changes), ...problems.map(({ message }) => oneLine(message, 300))].join("\n");
}

/** One line about the servers that were or would be changed. */
export function changedServersText({
  added,
  removed,
  changed,
}: Pick<Reloaded, "added" | "removed" | "changed">): string {
  const parts = [
    ...(added.length > 0 ? [`added ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(", ")}`] : []),
    ...(changed.length > 0 ? [`changed ${changed.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "The MCP servers are as before." : `MCP servers: ${parts.join("; ")}.`;
}

type Reloaded = Extract<OutputOf<"mcp.reload">, { readonly needsConfirmation: false }>;

import { plural } from "../../../../base/text/text.ts";
import type { CliCommand, CliContext, CliInput, Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { confirm } from "../../input.ts";
import { table } from "../../table.ts";
import { addCommands } from "./add.ts";
import { importCommand } from "./import.ts";
import { pick } from "./picker.ts";
import { listText, serverText, testText, waitingText } from "./server-text.ts";

const name = { name: "name", summary: "name of the server" };
const yes = { flags: "-y, --yes", summary: "do not ask" };

export const commands: readonly CliCommand[] = [
  {
    path: ["mcp", "list"],
    summary: "List the MCP servers: state, tools, and which run unconfined",
    details: "Does not connect: shows the tools of the last connection.",
    run: list,
  },
  ...addCommands,
  {
    path: ["mcp", "test"],
    summary: "Connect to a server and show what it offers",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("mcp.test", { name: input.arg("name") });
      return { data, text: testText(data, ctx), exitCode: data.isReachable ? 0 : 1 };
    },
  },
  {
    path: ["mcp", "inspect"],
    summary: "Show everything about a server: settings, tools, prompts, log",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("mcp.inspect", { name: input.arg("name") });
      return { data, text: serverText(data, ctx) };
    },
  },
  {
    path: ["mcp", "trust"],
    summary: "Accept the program of a server, and new definitions of its tools",
    details:
      "A program that can send data out, or whose package is not pinned, starts only after you accepted it. A tool whose definition " +
      "changed, or whose description looks like orders to the model, stays off until you accept it. Shows both, then asks.",
    args: [name, { name: "tools", summary: "only these tools", optional: true, rest: true }],
    options: [yes],
    run: trust,
  },
  {
    path: ["mcp", "login"],
    summary: "Sign in to a remote server with a browser",
    details:
      "Shows an address to open; opens no browser itself. Succeeds only if the server answers with the new token. The token is " +
      "stored in the home, readable for you alone, and is sent to this server only.",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("mcp.login", { name: input.arg("name") });
      return { data, text: `${ctx.paint.good("✓")} Signed in to ${data.name}: ${plural(data.toolCount, "tool")}` };
    },
  },
  {
    path: ["mcp", "logout"],
    summary: "Revoke and delete the tokens of a server",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("mcp.logout", { name: input.arg("name") });
      const rest = data.isRevoked ? "" : " The server cannot revoke its tokens: they end by themselves.";
      return {
        data,
        text: data.wasSignedIn ? `Signed out of ${data.name}.${rest}` : `You were not signed in to ${data.name}.`,
      };
    },
  },
  {
    path: ["mcp", "remove"],
    summary: "Remove a server with its cache, accepted definitions and sign-in",
    args: [name],
    options: [yes],
    async run(input, ctx) {
      const given = input.arg("name");
      // Fails before the question if there is no such server.
      if (!input.flag("yes")) await ctx.run("mcp.inspect", { name: given });
      await confirm(input, ctx, `Remove the MCP server ${escapeInvisible(given)}?`);
      const data = await ctx.run("mcp.remove", { name: given });
      return { data, text: `Removed ${given}.` };
    },
  },
  importCommand,
  {
    path: ["mcp", "catalog"],
    summary: "List the servers that Hermes knows",
    args: [{ name: "search", summary: "part of a name or description", optional: true }],
    async run(input, ctx) {
      const data = await ctx.run("mcp.catalog", { search: input.optionalArg("search") });
      const rows = data.servers.map(({ name: each, about, settings, variables, isAdded }) => {
        const needs = variables.filter(({ isSet }) => !isSet).map((variable) => variable.name);
        const notes = [
          ...(isAdded ? [ctx.paint.good("added")] : []),
          ...(settings["url"] === undefined ? [] : ["remote"]),
          ...(settings["auth"] === "oauth" ? ["sign-in"] : []),
          ...(needs.length > 0 ? [`needs ${needs.join(", ")}`] : []),
        ];
        return [ctx.paint.bold(each), about, ctx.paint.dim(notes.join(", "))];
      });
      const none =
        "The catalog has no such server. Any other: hermes mcp add NAME -- COMMAND, or hermes mcp add NAME URL";
      const text = rows.length === 0 ? none : `${table(rows, ctx.io.columns)}\n\nTo add one: hermes mcp install NAME`;
      return { data, text };
    },
  },
  // Comes last, because the words of every other command of the group start with its word.
  {
    path: ["mcp"],
    summary: "Choose a server and what to do with it; without a terminal, list the servers",
    run: (input, ctx) =>
      ctx.io.stdinIsTerminal && ctx.io.stdoutIsTerminal && !ctx.json ? pick(ctx) : list(input, ctx),
  },
];

async function list(_input: CliInput, ctx: CliContext): Promise<Reply> {
  const data = await ctx.run("mcp.list", {});
  return { data, text: listText(data, ctx) };
}

async function trust(input: CliInput, ctx: CliContext): Promise<Reply> {
  const given = input.arg("name");
  const named = input.rest("tools");
  const server = await ctx.run("mcp.inspect", { name: given });
  const waiting = server.waiting.filter(({ tool }) => named.length === 0 || named.includes(tool));
  const reasons = named.length === 0 ? server.reasons : [];
  if (reasons.length === 0 && waiting.length === 0)
    return { data: { name: given, program: false, tools: [] }, text: `Nothing of ${given} needs your consent.` };
  await confirm(input, ctx, `${waitingText({ ...server, reasons, waiting }, ctx)}\nAccept?`);
  const data = await ctx.run("mcp.trust", { name: given, tools: named.length === 0 ? undefined : named });
  const parts = [
    ...(data.program ? ["its program"] : []),
    ...(data.tools.length > 0 ? [plural(data.tools.length, "tool")] : []),
  ];
  return { data, text: `Accepted ${parts.join(" and ") || "nothing new"} of ${given}.` };
}

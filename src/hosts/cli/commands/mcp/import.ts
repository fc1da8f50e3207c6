import { plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { confirm, offer } from "../../input.ts";
import { wrap } from "../../table.ts";
import { examinedText } from "./server-text.ts";

type Importable = OutputOf<"mcp.importable">["servers"][number];

export const importCommand: CliCommand = {
  path: ["mcp", "import"],
  summary: "Import servers of Claude Code, Claude Desktop, Cursor, VS Code, Codex and Gemini CLI",
  details:
    "Shows what it finds and what each program would do, then asks. Does not connect to them. Secrets go to .env. A server whose name " +
    "exists here stays as it is.",
  args: [{ name: "file", summary: "only this file", optional: true }],
  options: [
    { flags: "--only <name>...", summary: "only this server; repeatable" },
    { flags: "--sandbox", summary: "run programs in a sandbox, with the permissions that are shown" },
    { flags: "-y, --yes", summary: "do not ask" },
  ],
  examples: ["hermes mcp import", "hermes mcp import ./.mcp.json --only github"],
  run: importServers,
};

async function importServers(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { paint, io } = ctx;
  const importable = await ctx.run("mcp.importable", { file: input.optionalArg("file") });
  const only = input.list("only");
  const named = importable.servers.filter(({ name }) => only.length === 0 || only.includes(name));
  const requested = named.filter(({ isAdded, fault }) => !isAdded && fault === undefined);
  for (const problem of importable.problems) io.warn(`${paint.warn("warning:")} ${escapeInvisible(problem)}\n`);
  const others = named.filter((server) => !requested.includes(server)).map((server) => skippedText(server, ctx));
  if (requested.length === 0) {
    const none =
      importable.servers.length === 0 ? "No servers of other programs were found." : "There is nothing to import.";
    return {
      data: { imported: [], ...importable },
      text: [...others, none].join("\n"),
      exitCode: importable.problems.length > 0 ? 1 : 0,
    };
  }
  const examined = [];
  for (const server of requested)
    examined.push({ server, facts: await ctx.run("mcp.examine", { name: server.name, settings: server.settings }) });
  const shown = examined.map(({ server, facts }) => {
    const notes = server.notes.map((note) => wrap(`  ${escapeInvisible(note)}`, io.columns));
    return [
      examinedText(facts, ctx),
      paint.dim(`  from ${server.program}: ${escapeInvisible(server.file)}`),
      ...notes,
    ].join("\n");
  });
  const text = [...others, ...shown].join("\n");
  await confirm(input, ctx, `${text}\nImport ${plural(requested.length, "server")}?`);
  const knownNames = examined
    .filter(({ facts }) => facts.proposed?.isKnown)
    .map(({ server }) => escapeInvisible(server.name));
  const isEveryBoxed = input.flag("sandbox");
  const isKnownBoxed =
    !isEveryBoxed && knownNames.length > 0 && (await offer(input, ctx, `Run ${knownNames.join(", ")} in the sandbox?`));
  const imported = [];
  for (const { server, facts } of examined) {
    const { proposed } = facts;
    const isBoxed = isEveryBoxed || (isKnownBoxed && proposed?.isKnown === true);
    const permissions = isBoxed ? proposed?.permissions : undefined;
    const settings = { ...server.settings, ...(permissions && { permissions }) };
    const added = await ctx.renewed().run("mcp.add", { name: server.name, settings, test: false });
    if (!added.isSaved) throw new CommandFailed(`${server.name} was not saved.`);
    imported.push({ name: server.name, from: server.file, variables: added.variables, notes: server.notes });
  }
  const names = imported.map(({ name }) => name).join(", ");
  return {
    data: { imported, problems: importable.problems },
    text: `${input.flag("yes") ? `${text}\n` : ""}Imported ${names}. To try one: hermes mcp test ${imported[0]?.name}`,
  };
}

function skippedText({ name, fault, file }: Importable, { paint }: CliContext): string {
  return paint.dim(
    `${escapeInvisible(name)} is not imported: ${fault === undefined ? "it exists already" : escapeInvisible(fault)} (${escapeInvisible(file)})`,
  );
}

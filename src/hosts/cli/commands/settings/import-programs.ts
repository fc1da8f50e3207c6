import { plural } from "../../../../base/text/text.ts";
import type { InputOf, OutputOf } from "../../../../operations/catalog.ts";
import {
  type CliCommand,
  type CliContext,
  type CliInput,
  type CliOption,
  CommandFailed,
  type Reply,
} from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { choiceOption, confirm } from "../../input.ts";
import { wrap } from "../../table.ts";

type Program = InputOf<"import.plan">["program"];
type Steps = OutputOf<"import.plan">["steps"];

const options: readonly CliOption[] = [
  { flags: "--dry-run", summary: "only show the plan" },
  {
    flags: "--preset <name>",
    summary: "full, or user-data: without settings, servers and keys",
    choices: ["full", "user-data"],
  },
  { flags: "--overwrite", summary: "replace files and settings that exist here" },
  { flags: "--migrate-secrets", summary: "import keys too" },
  { flags: "--no-backup", summary: "keep no copies of replaced files" },
  {
    flags: "--skill-conflict <how>",
    summary: "skip, overwrite or rename; default: skip",
    choices: ["skip", "overwrite", "rename"],
  },
  { flags: "--workspace-target <folder>", summary: "the project folder that gets the AGENTS.md of the workspace" },
  { flags: "-y, --yes", summary: "do not ask" },
];

const details =
  "Shows a plan first, then asks. Reads the other program's folder and changes nothing there; deletes nothing here. A replaced file " +
  "keeps a copy beside it. Files are refused if they are links, too large or contain control characters. Permissions that allow more are " +
  "not imported.";

const programs: readonly { readonly program: Program; readonly summary: string }[] = [
  {
    program: "claude-code",
    summary: "Import CLAUDE.md, agents, commands, skills, rules and MCP servers of Claude Code",
  },
  { program: "codex", summary: "Import AGENTS.md, prompts, skills and MCP servers of Codex" },
  { program: "openclaw", summary: "Import soul, memories, skills, model and servers of OpenClaw" },
];

export const programCommands: readonly CliCommand[] = programs.map(({ program, summary }) => ({
  path: ["import", program],
  summary,
  details,
  args: [{ name: "path", summary: "the folder of the program; default: its standard location", optional: true }],
  options,
  examples: [`hermes import ${program} --dry-run`],
  run: (input, ctx) => importProgram(program, input.optionalArg("path"), input, ctx),
}));

export const clawCommands: readonly CliCommand[] = [
  {
    path: ["claw", "migrate"],
    summary: "Import soul, memories, skills, model and servers of OpenClaw",
    details: `The same as \`hermes import openclaw\`. ${details}`,
    options: [...options, { flags: "--source <folder>", summary: "its folder; default: ~/.openclaw" }],
    examples: ["hermes claw migrate --dry-run", "hermes claw migrate --preset user-data --yes"],
    run: (input, ctx) => importProgram("openclaw", input.option("source"), input, ctx),
  },
];

/** Shows the plan, asks, imports; then asks separately about the MCP servers. */
export async function importProgram(
  program: Program,
  path: string | undefined,
  input: CliInput,
  ctx: CliContext,
): Promise<Reply> {
  const request = {
    program,
    path,
    preset: choiceOption(input, "preset", ["full", "user-data"]),
    overwrite: input.flag("overwrite"),
    secrets: input.flag("migrateSecrets"),
    skillConflict: conflictOption(input),
    workspaceTarget: input.option("workspaceTarget"),
  };
  const plan = await ctx.run("import.plan", request);
  const { serversFile } = plan;
  const count = plan.steps.filter(isDone).length;
  const text = stepsText(plan.steps, ctx);
  if (input.flag("dryRun")) {
    const servers = serversFile === undefined ? [] : (await ctx.run("mcp.importable", { file: serversFile })).servers;
    const names = servers
      .filter(({ isAdded }) => !isAdded)
      .map(({ name }) => `  + MCP server ${escapeInvisible(name)}`);
    return {
      data: { dryRun: true, ...plan, servers: servers.map(({ name }) => name) },
      text: [text, ...names, "Dry run; nothing was changed."].filter(Boolean).join("\n"),
    };
  }
  let steps: Steps = [];
  if (count > 0) {
    await confirm(input, ctx, `${text}\nImport ${plural(count, "item")} from ${plan.folder}?`);
    ({ steps } = await ctx.run("import.apply", { ...request, backup: !input.flag("noBackup") }));
  }
  const servers = serversFile === undefined ? undefined : await importServers(serversFile, input, ctx.renewed());
  const failed = steps.filter(({ action }) => action === "failed");
  const done =
    count === 0 ? `${text}\nThere is nothing to import.` : `Imported ${plural(steps.filter(isDone).length, "item")}.`;
  return {
    data: {
      program,
      folder: plan.folder,
      steps: count === 0 ? plan.steps : steps,
      ...(servers && { servers: servers.data }),
    },
    text: [done, ...(failed.length === 0 ? [] : [stepsText(failed, ctx)]), servers?.text].filter(Boolean).join("\n"),
    exitCode: failed.length > 0 ? 1 : 0,
  };
}

function conflictOption(input: CliInput): "skip" | "overwrite" | "rename" | undefined {
  const text = input.option("skillConflict");
  const value = (["skip", "overwrite", "rename"] as const).find((each) => each === text);
  if (text === undefined || value !== undefined) return value;
  throw new CommandFailed(`--skill-conflict ${text}: use skip, overwrite or rename.`, undefined, 2);
}

/** Runs `hermes mcp import FILE`. If the user declines the servers, the rest of the import is kept. */
async function importServers(file: string, input: CliInput, ctx: CliContext): Promise<Reply | undefined> {
  const { servers } = await ctx.run("mcp.importable", { file });
  if (!servers.some(({ isAdded, fault }) => !isAdded && fault === undefined)) return undefined;
  const { importCommand } = await import("../mcp/import.ts");
  const request: CliInput = {
    ...input,
    arg: () => file,
    optionalArg: () => file,
    option: () => undefined,
    list: () => [],
  };
  return importCommand.run(request, ctx).catch((thrown: unknown) => {
    if (!(thrown instanceof CommandFailed) || ctx.signal.aborted) throw thrown;
    return { data: { imported: [] }, text: `MCP servers: ${thrown.message}` };
  });
}

function isDone({ action }: Steps[number]): boolean {
  return action === "import" || action === "replace";
}

const marks: Readonly<Record<Steps[number]["action"], string>> = { import: "+", replace: "~", skip: "-", failed: "!" };

/** One line for each step of an import. */
export function stepsText(steps: Steps, { paint, io }: CliContext): string {
  const paints = { import: paint.good, replace: paint.warn, skip: paint.dim, failed: paint.bad };
  return steps
    .map(({ name, action, to, why }) => {
      const rest = why === undefined ? (to === undefined ? "" : ` → ${to}`) : `: ${why}`;
      return paints[action](wrap(`  ${marks[action]} ${escapeInvisible(`${name}${rest}`)}`, io.columns));
    })
    .join("\n");
}

import { type CliContext, type CliInput, CommandFailed } from "../command.ts";
import { importProgram } from "../commands/settings/import-programs.ts";
import { withoutControls } from "../without-controls.ts";
import type { SetupOutcome, SetupScene } from "./setup-answers.ts";

/** Offers to import from other programs on this machine. Shows a plan before each question. */
export async function setUpImport({ ctx, answers, dialog, say }: SetupScene): Promise<SetupOutcome> {
  const unchanged: SetupOutcome = { section: "import", isChanged: false, result: "unchanged" };
  const { sources } = await ctx.renewed().run("import.sources", {});
  const missing = answers.imports?.find((name) => !sources.some(({ program }) => program === name));
  if (missing !== undefined) {
    const names = sources.map(({ program }) => program).join(", ");
    throw new CommandFailed(
      `No folder of "${missing}" was found on this machine.`,
      names === "" ? "`hermes import --help` lists the programs." : `Programs on this machine: ${names}.`,
      2,
    );
  }
  if (sources.length === 0) return { ...unchanged, result: "no other program was found" };
  const done: string[] = [];
  for (const { program, title, folder } of sources) {
    const isWanted = answers.imports?.includes(program);
    if (answers.imports !== undefined && !isWanted) continue;
    if (!isWanted) {
      const shown = program === "hermes-python" ? undefined : await ctx.renewed().run("import.plan", { program });
      const steps = shown?.steps ?? [];
      const count = steps.filter(({ action }) => action === "import").length;
      if (shown && count === 0) continue;
      for (const { name, to } of steps.filter(({ action }) => action === "import").slice(0, maxShown))
        say(`  + ${withoutControls(to === undefined ? name : `${name} → ${to}`)}`);
      if (count > maxShown) say(`  and ${count - maxShown} more`);
      const about = program === "hermes-python" ? "sessions, memories and skills" : `${count} items`;
      const choices = [{ label: "Not now", description: `later: hermes import ${program}` }, { label: "Import" }];
      if ((await dialog?.choose({ title: `Import ${about} of ${title} (${folder})?`, choices })) !== 1) continue;
    }
    if (program === "hermes-python") await ctx.renewed().run("import.hermesPython", { path: folder });
    else if (dialog) await ctx.renewed().run("import.apply", { program });
    else await importProgram(program, undefined, agreed, silent(ctx.renewed()));
    done.push(title);
    if (dialog && program !== "hermes-python") say(`MCP servers of other programs: hermes mcp import`);
  }
  return done.length === 0
    ? unchanged
    : { section: "import", isChanged: true, result: `imported from ${done.join(", ")}` };
}

const maxShown = 12;

/** The options for `--import` without a terminal: accepts the plan, imports no secrets and replaces nothing. */
const agreed: CliInput = {
  arg: () => "",
  optionalArg: () => undefined,
  rest: () => [],
  option: () => undefined,
  list: () => [],
  flag: (name) => name === "yes",
};

function silent(ctx: CliContext): CliContext {
  return { ...ctx, io: { ...ctx.io, write: async () => {} } };
}

import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { oneLine, plural } from "../../../../base/text/text.ts";
import type { InputOf, OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { choiceOption, confirm } from "../../input.ts";
import { stepsText } from "./import-programs.ts";

const kinds = ["sessions", "memories", "skills", "settings"] as const;

export const commands: readonly CliCommand[] = [
  {
    path: ["import", "hermes-python"],
    summary: "Import sessions, memories and skills of Hermes in Python",
    details:
      "Reads the session store (state.db, versions 11 to 25), MEMORY.md, USER.md and the skills of another home, and changes nothing " +
      "there. Existing data here stays and nothing is imported twice, so you can run it again at any time.",
    args: [{ name: "path", summary: "home folder of Hermes in Python, its state.db, or a backup (.zip)" }],
    options: [
      { flags: "--dry-run", summary: "only report what would be imported" },
      {
        flags: "--only <what>",
        summary: "sessions, memories, skills or settings; default: the first three",
        choices: kinds,
      },
    ],
    examples: [
      "hermes import hermes-python ~/.hermes --dry-run",
      "hermes import hermes-python ~/old-home --only memories",
    ],
    async run(input, ctx) {
      const imported = await ctx.run("import.hermesPython", {
        path: input.arg("path"),
        dryRun: input.flag("dryRun"),
        only: choiceOption(input, "only", kinds),
      });
      return replyOf(imported, ctx);
    },
  },
  {
    path: ["import"],
    summary: "Import a backup or a home of Hermes in Python; without a path, list the programs that were found here",
    details:
      "Shows first what it would import, then asks. From a ZIP file that `hermes backup` of Hermes in Python wrote, or from its home folder: " +
      "sessions, memories, skills, SOUL.md and settings. Nothing here is overwritten without --overwrite, and settings that decide what may " +
      "run are never imported. A ZIP file with paths that leave its folder, with duplicate files, or that unpacks to far more than it " +
      "is, is refused as a whole.",
    args: [{ name: "path", summary: "the backup (.zip), or the home folder of Hermes in Python", optional: true }],
    options: [
      { flags: "--dry-run", summary: "only show what would be imported" },
      { flags: "--only <what>", summary: "sessions, memories, skills or settings; default: all", choices: kinds },
      { flags: "--overwrite", summary: "replace SOUL.md and settings that exist here; a copy of the file is kept" },
      { flags: "--migrate-secrets", summary: "import keys too" },
      { flags: "-y, --yes", summary: "do not ask" },
      { flags: "-f, --force", summary: "the same as --yes" },
    ],
    examples: ["hermes import", "hermes import ~/hermes-backup-20260101-120000.zip --dry-run"],
    async run(input, ctx) {
      const path = input.optionalArg("path");
      return path === undefined ? listSources(ctx) : importOriginal(path, input, ctx);
    },
  },
];

const importTitle = "An import would include:";

async function listSources(ctx: CliContext): Promise<Reply> {
  const result = await ctx.run("import.sources", {});
  const lines = result.sources.map(
    ({ program, title, folder }) => `${title}: hermes import ${program === "hermes-python" ? folder : program}`,
  );
  return { data: result, text: lines.join("\n") || "No other program was found. hermes import --help lists them." };
}

async function importOriginal(path: string, input: CliInput, ctx: CliContext): Promise<Reply> {
  if (/^[\w-]+$/u.test(path) && !existsSync(resolve(ctx.cwd, path)))
    throw new CommandFailed(
      `"${path}" is neither a program nor a file.`,
      "Programs: claude-code, codex, openclaw, hermes-python. Or pass a backup (.zip) or the home folder of Hermes in Python.",
      2,
    );
  const request: InputOf<"import.hermesPython"> = {
    path,
    only: choiceOption(input, "only", kinds),
    settings: true,
    secrets: input.flag("migrateSecrets"),
    overwrite: input.flag("overwrite"),
  };
  const preview = await ctx.run("import.hermesPython", { ...request, dryRun: true });
  if (input.flag("dryRun")) return replyOf(preview, ctx);
  if (preview.sessions && "error" in preview.sessions) throw new CommandFailed(preview.sessions.error);
  if (!input.flag("force"))
    await confirm(input, ctx, `${importTitle}\n${importLines(preview, ctx).join("\n")}\nImport this?`);
  return replyOf(await ctx.run("import.hermesPython", request), ctx);
}

function replyOf(imported: Imported, ctx: CliContext): Reply {
  const { dryRun, sessions, settings } = imported;
  const hasFailed =
    (sessions !== undefined && ("error" in sessions || sessions.failed.length > 0)) ||
    (settings !== undefined && !("shared" in settings) && settings.some(({ action }) => action === "failed"));
  const lines = [...(dryRun ? [`Dry run; nothing was changed. ${importTitle}`] : []), ...importLines(imported, ctx)];
  return { data: imported, text: lines.join("\n"), exitCode: hasFailed ? 1 : 0 };
}

function importLines(imported: Imported, ctx: CliContext): readonly string[] {
  const { sessions, memories, skills, settings, other = [], profiles = [], from } = imported;
  return [
    ...(sessions ? sessionLines(sessions) : []),
    ...(memories ? memoryLines(memories) : []),
    ...(skills ? [skillLine(skills)] : []),
    ...(settings ? settingLines(settings, ctx) : []),
    ...(other.length === 0 ? [] : [`not imported: ${escapeInvisible(other.join(", "))}`]),
    ...(profiles.length === 0
      ? []
      : [
          `not imported: the profiles ${escapeInvisible(profiles.join(", "))}. Unpack ${from} and import each folder: hermes -p NAME import FOLDER`,
        ]),
  ];
}

function settingLines(settings: NonNullable<Imported["settings"]>, ctx: CliContext): readonly string[] {
  if ("shared" in settings) return ["settings: both use the same folder"];
  return settings.length === 0 ? [] : ["settings:", stepsText(settings, ctx)];
}

type Imported = OutputOf<"import.hermesPython">;

function sessionLines(sessions: NonNullable<Imported["sessions"]>): readonly string[] {
  if ("error" in sessions) return [`sessions: ${sessions.error}`];
  const { version, imported, messages, known: existing, failed } = sessions;
  return [
    `sessions: ${plural(imported, "session")} with ${plural(messages, "message")} imported, ${existing} already here (version ${version})`,
    ...failed.map(({ id, why }) => `  ${id} could not be read: ${why}`),
  ];
}

function memoryLines(memories: NonNullable<Imported["memories"]>): readonly string[] {
  if ("shared" in memories) return ["memories: both use the same folder"];
  return memories.flatMap(({ target, imported, known: existing, left }) => [
    `memories: ${target}: ${plural(imported, "entry")} imported, ${existing} already here`,
    ...left.map(({ text, why }) => `  skipped, ${why}: ${escapeInvisible(oneLine(text, 80))}`),
  ]);
}

function skillLine(skills: NonNullable<Imported["skills"]>): string {
  if ("shared" in skills) return "skills: both use the same folder";
  const kept = skills.kept.length === 0 ? "" : `; skipped because the name exists here: ${skills.kept.join(", ")}`;
  return `skills: ${plural(skills.imported.length, "skill")} imported${kept}`;
}

import { oneLine, plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { choiceOption } from "../../input.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["import", "hermes-python"],
    summary: "Import sessions, memories and skills of Hermes in Python",
    details:
      "Reads the session store (state.db, versions 11 to 25), MEMORY.md, USER.md and the skills of another home, and changes nothing " +
      "there. Existing data here stays and nothing is imported twice, so you can run it again at any time.",
    args: [{ name: "path", summary: "home folder of Hermes in Python, or its state.db" }],
    options: [
      { flags: "--dry-run", summary: "only report what would be imported" },
      { flags: "--only <what>", summary: "sessions, memories or skills; default: all three" },
    ],
    examples: [
      "hermes import hermes-python ~/.hermes --dry-run",
      "hermes import hermes-python ~/old-home --only memories",
    ],
    async run(input, ctx) {
      const imported = await ctx.run("import.hermesPython", {
        path: input.arg("path"),
        dryRun: input.flag("dryRun"),
        only: choiceOption(input, "only", ["sessions", "memories", "skills"]),
      });
      const { sessions } = imported;
      const hasFailed = sessions !== undefined && ("error" in sessions || sessions.failed.length > 0);
      return { data: imported, text: importText(imported), exitCode: hasFailed ? 1 : 0 };
    },
  },
];

function importText({ dryRun, sessions, memories, skills }: OutputOf<"import.hermesPython">): string {
  return [
    ...(dryRun ? ["Dry run; nothing was changed. An import would give:"] : []),
    ...(sessions ? sessionLines(sessions) : []),
    ...(memories ? memoryLines(memories) : []),
    ...(skills ? [skillLine(skills)] : []),
  ].join("\n");
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

import { systemClock } from "../../../base/clock.ts";
import { silentLog } from "../../../base/log/log.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import type { SkillFault, SkillPage } from "../../../contracts/knowledge/skill.ts";
import type { OpenedSkills } from "../../../runtime/knowledge/open-skills.ts";
import { visible } from "../ask-approval.ts";
import { askLine } from "../ask-line.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { table } from "../table.ts";

const skillName = { name: "name", summary: "the skill" };

export const commands: readonly CliCommand[] = [
  {
    path: ["skills", "list"],
    summary: "List the skills, and why some are not offered",
    options: [{ flags: "--category <name>", summary: "only those of this category" }],
    run: (input, ctx) => withSkills(ctx, (skills) => list(skills, input.option("category"), ctx)),
  },
  {
    path: ["skills", "view"],
    summary: "Show a skill as the model reads it, or one of its files",
    args: [skillName, { name: "file", summary: "a file of the skill; SKILL.md when left out", optional: true }],
    run: (input, ctx) =>
      withSkills(ctx, async ({ desk }) => {
        const page = valueOf(await desk.view(input.arg("name"), input.optionalArg("file"), ctx.signal));
        return { data: pageData(page), text: pageText(page, ctx) };
      }),
  },
  {
    path: ["skills", "history"],
    summary: "Show every change that was made to a skill, also to one that is gone",
    args: [skillName],
    options: [{ flags: "--diff", summary: "with what changed" }],
    run: (input, ctx) => withSkills(ctx, async (skills) => history(skills, input, ctx)),
  },
  {
    path: ["skills", "undo"],
    summary: "Take back the last change to a skill",
    details: "Undoing again goes further back. An undo is a change like any other and stands in the history.",
    args: [skillName],
    options: [
      { flags: "--entry <number>", summary: "the change with this number in the history" },
      { flags: "--force", summary: "also where its files were changed since" },
    ],
    run: (input, ctx) => withSkills(ctx, async (skills) => undo(skills, input, ctx)),
  },
  {
    path: ["skills", "pending"],
    summary: "List the changes that the agent wants to make and that wait for you",
    run: (_input, ctx) => withSkills(ctx, async (skills) => pending(skills, ctx)),
  },
  {
    path: ["skills", "diff"],
    summary: "Show what a waiting change would do to a skill",
    args: [skillName],
    run: (input, ctx) =>
      withSkills(ctx, async ({ desk }) => {
        const diff = valueOf(await desk.pendingDiff(input.arg("name")));
        return { data: { skill: input.arg("name"), diff }, text: visibleLines(diff) || "It changes nothing any more." };
      }),
  },
  {
    path: ["skills", "approve"],
    summary: "Make a waiting change",
    args: [skillName],
    options: [
      { flags: "--force", summary: "also where the skill was changed since, or the scan finds it dangerous" },
      { flags: "-y, --yes", summary: "do not ask" },
    ],
    run: (input, ctx) => withSkills(ctx, async (skills) => approve(skills, input, ctx)),
  },
  {
    path: ["skills", "reject"],
    summary: "Drop a waiting change; the skill stays as it is",
    args: [skillName],
    run: (input, ctx) =>
      withSkills(ctx, async ({ desk }) => {
        valueOf(await desk.reject(input.arg("name"), ctx.signal));
        return { data: { rejected: input.arg("name") }, text: `${input.arg("name")} stays as it is.` };
      }),
  },
  {
    path: ["skills", "allow"],
    summary: "Load a skill as it is now, whatever the scan found in it",
    args: [skillName],
    options: [{ flags: "-y, --yes", summary: "do not ask" }],
    run: (input, ctx) => withSkills(ctx, async (skills) => allow(skills, input, ctx)),
  },
  {
    path: ["skills", "reset"],
    summary: "Take a bundled skill as new again, so that updates reach it",
    details: "Your version stays, unless --restore puts the bundled one in its place; that can be undone.",
    args: [skillName],
    options: [{ flags: "--restore", summary: "put the bundled version back" }],
    run: (input, ctx) => withSkills(ctx, async (skills) => reset(skills, input, ctx)),
  },
  {
    path: ["skills", "opt-out"],
    summary: "Bring no bundled skills into this home",
    options: [{ flags: "--remove", summary: "delete those that are still as they came" }],
    run: (input, ctx) =>
      withSkills(ctx, async (skills) => {
        const { optOut } = await import("../../../runtime/knowledge/bundled-skills.ts");
        const removed = await optOut(skills, input.flag("remove"));
        const gone = removed.length === 0 ? "" : ` Removed: ${removed.join(", ")}.`;
        return { data: { removed }, text: `No bundled skills from now on.${gone}` };
      }),
  },
  {
    path: ["skills", "opt-in"],
    summary: "Bring bundled skills into this home again",
    options: [{ flags: "--sync", summary: "now, and not at the next start" }],
    run: (input, ctx) =>
      withSkills(ctx, async (skills) => {
        const { optIn } = await import("../../../runtime/knowledge/bundled-skills.ts");
        const done = await optIn(skills, input.flag("sync"), ctx.signal);
        if (!done.ok) throw new CommandFailed(done.error.message);
        const { added, updated, kept, warnings } = done.value;
        const text = [
          "Bundled skills are brought in.",
          ...(added.length > 0 ? [`New: ${added.join(", ")}`] : []),
          ...warnings,
        ];
        return { data: { added, updated, kept, warnings }, text: text.join("\n") };
      }),
  },
];

async function withSkills(ctx: CliContext, run: (skills: OpenedSkills) => Promise<Reply>): Promise<Reply> {
  const { openSkills } = await import("../../../runtime/knowledge/open-skills.ts");
  const config = await ctx.config();
  const say = (sentence: string) => ctx.io.warn(`${ctx.paint.dim(`hermes: ${visible(sentence)}`)}\n`);
  await using skills = openSkills(config, { cwd: ctx.cwd, clock: systemClock, log: silentLog, say });
  return await run(skills);
}

function valueOf<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: SkillFault },
): T {
  if (result.ok) return result.value;
  throw new CommandFailed(visible(result.error.message));
}

async function list(skills: OpenedSkills, category: string | undefined, ctx: CliContext): Promise<Reply> {
  const library = skills.library({ author: "user", backend: "local", source: "cli" });
  const found = await library.list(category === undefined ? {} : { category }, ctx.signal);
  const waiting = (await skills.desk.pending()).length;
  const rows = found.skills.map(({ name, description, category: of = "", origin }) => [
    ctx.paint.bold(visible(name)),
    ctx.paint.dim(of),
    ctx.paint.dim(origin),
    visible(oneLine(description, 300)),
  ]);
  const left = found.hidden.map(({ name, why }) => `  ${visible(name)}: ${visible(oneLine(why, 300))}`);
  const text = [
    rows.length === 0 ? "There are no skills." : table(rows, ctx.io.columns),
    ...(left.length > 0 ? [ctx.paint.dim("Not offered:"), ...left] : []),
    ...(waiting > 0 ? [`${plural(waiting, "change")} waiting: hermes skills pending`] : []),
  ];
  return {
    data: {
      skills: found.skills.map(({ name, description, category: of, origin, tags }) => ({
        name,
        description,
        ...(of !== undefined && { category: of }),
        origin,
        tags,
      })),
      hidden: found.hidden.map(({ name, why }) => ({ name, why })),
      pending: waiting,
    },
    text: text.join("\n"),
  };
}

function pageData({ card, folder, content, linkedFiles, relatedSkills, readiness, missing, note, file }: SkillPage) {
  return {
    name: card.name,
    description: card.description,
    origin: card.origin,
    folder,
    ...(file !== undefined && { file }),
    content,
    linkedFiles,
    relatedSkills,
    readiness,
    missing,
    ...(note !== undefined && { note }),
  };
}

function pageText({ card, folder, file, content, linkedFiles, note }: SkillPage, { paint }: CliContext): string {
  if (file !== undefined) return visibleLines(content);
  return [
    `${paint.bold(visible(card.name))}  ${paint.dim(`${card.origin}, ${folder}`)}`,
    visible(card.description),
    ...linkedFiles.map((each) => paint.dim(`  ${visible(each)}`)),
    ...(note === undefined ? [] : [paint.warn(visible(note))]),
    "",
    visibleLines(content),
  ].join("\n");
}

function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => visible(line.replaceAll("\t", "  ")))
    .join("\n");
}

async function history({ desk }: OpenedSkills, input: CliInput, ctx: CliContext): Promise<Reply> {
  const revisions = await desk.history(input.arg("name"));
  const lines = revisions.flatMap(({ number, at, by, action, files, undoes, diff }) => {
    const what = undoes === undefined ? action : `undo of ${undoes}`;
    const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
    const line = `${ctx.paint.bold(String(number))}  ${when}  ${what} by ${by}  ${ctx.paint.dim(files.join(", "))}`;
    return input.flag("diff") ? [line, visibleLines(diff), ""] : [line];
  });
  return {
    data: { skill: input.arg("name"), changes: revisions.map((each) => ({ ...each })) },
    text: lines.join("\n") || `Nothing is known of changes to ${visible(input.arg("name"))}.`,
  };
}

async function undo({ desk }: OpenedSkills, input: CliInput, ctx: CliContext): Promise<Reply> {
  const given = input.option("entry");
  const entry = given === undefined ? undefined : Number(given);
  if (entry !== undefined && (!Number.isSafeInteger(entry) || entry < 1))
    throw new CommandFailed("--entry needs a number of the history.", undefined, 2);
  const wish = { force: input.flag("force"), ...(entry !== undefined && { entry }) };
  const { skill, undid, diff } = valueOf(await desk.undo(input.arg("name"), wish, ctx.signal));
  return {
    data: { skill, undid, diff },
    text: `${visibleLines(diff)}\nChange ${undid} of ${skill} is taken back.`.trim(),
  };
}

async function pending({ desk }: OpenedSkills, ctx: CliContext): Promise<Reply> {
  const waiting = await desk.pending();
  const rows = waiting.map(({ skill, at, by, files }) => [
    ctx.paint.bold(skill),
    new Date(at).toISOString().slice(0, 16).replace("T", " "),
    by,
    files.join(", "),
  ]);
  return {
    data: { pending: waiting.map((each) => ({ ...each })) },
    text:
      rows.length === 0
        ? "No change waits."
        : `${table(rows, ctx.io.columns)}\nhermes skills diff NAME shows one; approve or reject decides.`,
  };
}

async function approve({ desk }: OpenedSkills, input: CliInput, ctx: CliContext): Promise<Reply> {
  const name = input.arg("name");
  const diff = valueOf(await desk.pendingDiff(name));
  await mustBeSure(`${visibleLines(diff)}\nMake this change to ${visible(name)}? [y/N] `, input, ctx);
  const made = valueOf(await desk.approve(name, input.flag("force"), ctx.signal));
  return {
    data: { skill: made.skill, entry: made.entry, diff: made.diff },
    text: `${made.skill} is changed. \`hermes skills undo ${made.skill}\` takes it back.`,
  };
}

async function allow({ keeper, shelf }: OpenedSkills, input: CliInput, ctx: CliContext): Promise<Reply> {
  const name = input.arg("name");
  const skill = (await shelf()).skills.find((each) => each.name === name);
  if (!skill) throw new CommandFailed(`There is no skill ${visible(name)}.`, "hermes skills list shows what there is.");
  if (skill.danger === undefined) return { data: { allowed: name, danger: null }, text: `${name} is loaded already.` };
  await mustBeSure(`${visible(name)}: ${visible(skill.danger)}.\nLoad it all the same? [y/N] `, input, ctx);
  valueOf(await keeper.allow(skill, ctx.signal));
  return {
    data: { allowed: name, danger: skill.danger },
    text: `${name} is loaded as it is now. A change is scanned anew.`,
  };
}

async function reset(skills: OpenedSkills, input: CliInput, ctx: CliContext): Promise<Reply> {
  const { resetBundled } = await import("../../../runtime/knowledge/bundled-skills.ts");
  const name = input.arg("name");
  const done = await resetBundled(skills, name, input.flag("restore"), ctx.signal);
  if (!done.ok) throw new CommandFailed(done.error.message);
  const { restored, kept } = done.value;
  const text = restored
    ? `${name} is as this version brings it. \`hermes skills undo ${name}\` takes it back.`
    : kept
      ? `Your ${name} is kept. \`hermes skills reset ${name} --restore\` puts the bundled one in its place.`
      : `${name} follows the bundled one again.`;
  return { data: { name, restored, kept }, text };
}

async function mustBeSure(question: string, input: CliInput, ctx: CliContext): Promise<void> {
  if (input.flag("yes") || ctx.json || !ctx.io.stdinIsTerminal || !ctx.io.stdoutIsTerminal) return;
  const answer = await askLine(ctx.io, question, ctx.signal);
  if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Nothing was changed.");
}

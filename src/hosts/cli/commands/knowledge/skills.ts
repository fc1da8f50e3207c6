import { oneLine, plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { numberOption } from "../../input.ts";
import { askLine } from "../../questions/ask-line.ts";
import { table } from "../../table.ts";

const skillName = { name: "name", summary: "the skill" };
const yes = { flags: "-y, --yes", summary: "do not ask" };

export const commands: readonly CliCommand[] = [
  {
    path: ["skills", "list"],
    summary: "List the skills, and why some are not offered",
    options: [{ flags: "--category <name>", summary: "only skills of this category" }],
    run: list,
  },
  {
    path: ["skills", "view"],
    summary: "Show a skill as the model reads it, or one of its files",
    args: [skillName, { name: "file", summary: "a file of the skill; default: SKILL.md", optional: true }],
    async run(input, ctx) {
      const page = await ctx.run("skills.view", { name: input.arg("name"), file: input.optionalArg("file") });
      return { data: page, text: pageText(page, ctx) };
    },
  },
  {
    path: ["skills", "history"],
    summary: "List the changes of a skill, even of a deleted one",
    args: [skillName],
    options: [{ flags: "--diff", summary: "show the changed lines" }],
    async run(input, ctx) {
      const history = await ctx.run("skills.history", { name: input.arg("name") });
      const lines = history.changes.flatMap(({ number, at: changedAt, by, action, files, undoes, diff }) => {
        const what = undoes === undefined ? action : `undo of ${undoes}`;
        const line = `${ctx.paint.bold(String(number))}  ${timeText(changedAt)}  ${what} by ${by}  ${ctx.paint.dim(files.join(", "))}`;
        return input.flag("diff") ? [line, visibleLines(diff), ""] : [line];
      });
      return {
        data: history,
        text: lines.join("\n") || `There are no recorded changes of ${escapeInvisible(history.skill)}.`,
      };
    },
  },
  {
    path: ["skills", "undo"],
    summary: "Undo the last change of a skill",
    details: "Repeat it to undo earlier changes. The history records an undo as a change.",
    args: [skillName],
    options: [
      { flags: "--entry <number>", summary: "number of the change in the history" },
      { flags: "--force", summary: "even if its files have changed since" },
    ],
    async run(input, ctx) {
      const undone = await ctx.run("skills.undo", {
        name: input.arg("name"),
        entry: numberOption(input, "entry"),
        force: input.flag("force"),
      });
      const text = `${visibleLines(undone.diff)}\nUndid change ${undone.undid} of ${undone.skill}.`;
      return { data: undone, text: text.trim() };
    },
  },
  {
    path: ["skills", "pending"],
    summary: "List the agent's pending changes",
    async run(_input, ctx) {
      const data = await ctx.run("skills.pending", {});
      const rows = data.pending.map(({ skill, at: proposedAt, by, files }) => [
        ctx.paint.bold(skill),
        timeText(proposedAt),
        by,
        files.join(", "),
      ]);
      return {
        data,
        text:
          rows.length === 0
            ? "No change is pending."
            : `${table(rows, ctx.io.columns)}\nhermes skills diff NAME shows one; hermes skills approve or reject decides.`,
      };
    },
  },
  {
    path: ["skills", "diff"],
    summary: "Show the diff of a pending change",
    args: [skillName],
    async run(input, ctx) {
      const data = await ctx.run("skills.diff", { name: input.arg("name") });
      return { data, text: visibleLines(data.diff) || "The skill already has this content." };
    },
  },
  {
    path: ["skills", "approve"],
    summary: "Apply a pending change",
    args: [skillName],
    options: [{ flags: "--force", summary: "even if the skill has changed since, or the scan reports danger" }, yes],
    async run(input, ctx) {
      const name = input.arg("name");
      const { diff } = await ctx.run("skills.diff", { name });
      await mustBeSure(`${visibleLines(diff)}\nApply this change to ${escapeInvisible(name)}? [y/N] `, input, ctx);
      const data = await ctx.run("skills.approve", { name, force: input.flag("force") });
      return { data, text: `Changed ${data.skill}. \`hermes skills undo ${data.skill}\` undoes it.` };
    },
  },
  {
    path: ["skills", "reject"],
    summary: "Discard a pending change; the skill stays unchanged",
    args: [skillName],
    async run(input, ctx) {
      const data = await ctx.run("skills.reject", { name: input.arg("name") });
      return { data, text: `${data.rejected} stays unchanged.` };
    },
  },
  {
    path: ["skills", "allow"],
    summary: "Load a skill in its current form, even if the scan reports danger",
    args: [skillName],
    options: [yes],
    async run(input, ctx) {
      const name = input.arg("name");
      const { danger } = await ctx.run("skills.danger", { name });
      if (danger === null) return { data: { allowed: name, danger }, text: `${name} is loaded already.` };
      await mustBeSure(`${escapeInvisible(name)}: ${escapeInvisible(danger)}.\nLoad it anyway? [y/N] `, input, ctx);
      const data = await ctx.run("skills.allow", { name });
      return { data, text: `${name} is loaded in its current form. After a change it is scanned again.` };
    },
  },
  {
    path: ["skills", "reset"],
    summary: "Update a bundled skill with Hermes again",
    details: "Your version stays, unless --restore replaces it by the bundled one; that can be undone.",
    args: [skillName],
    options: [{ flags: "--restore", summary: "restore the bundled version" }],
    async run(input, ctx) {
      const data = await ctx.run("skills.reset", { name: input.arg("name"), restore: input.flag("restore") });
      const { name, restored, kept } = data;
      const text = restored
        ? `Restored the bundled ${name}. \`hermes skills undo ${name}\` undoes it.`
        : kept
          ? `Your ${name} is kept. \`hermes skills reset ${name} --restore\` replaces it by the bundled one.`
          : `${name} is updated with Hermes again.`;
      return { data, text };
    },
  },
  {
    path: ["skills", "opt-out"],
    summary: "Do not copy bundled skills into this home",
    options: [{ flags: "--remove", summary: "delete those that are unchanged" }],
    async run(input, ctx) {
      const data = await ctx.run("skills.optOut", { remove: input.flag("remove") });
      const removed = data.removed.length === 0 ? "" : ` Removed: ${data.removed.join(", ")}.`;
      return { data, text: `Bundled skills are off.${removed}` };
    },
  },
  {
    path: ["skills", "opt-in"],
    summary: "Copy bundled skills into this home again",
    options: [{ flags: "--sync", summary: "copy now, not at the next start" }],
    async run(input, ctx) {
      const data = await ctx.run("skills.optIn", { sync: input.flag("sync") });
      const added = data.added.length > 0 ? [`New: ${data.added.join(", ")}`] : [];
      return { data, text: ["Bundled skills are on.", ...added, ...data.warnings].join("\n") };
    },
  },
];

async function list(input: CliInput, ctx: CliContext): Promise<Reply> {
  const listed = await ctx.run("skills.list", { category: input.option("category") });
  const rows = listed.skills.map(({ name, description, category = "", origin }) => [
    ctx.paint.bold(escapeInvisible(name)),
    ctx.paint.dim(category),
    ctx.paint.dim(origin),
    escapeInvisible(oneLine(description, 300)),
  ]);
  const hidden = listed.hidden.map(
    ({ name, why }) => `  ${escapeInvisible(name)}: ${escapeInvisible(oneLine(why, 300))}`,
  );
  return {
    data: listed,
    text: [
      rows.length === 0 ? "There are no skills." : table(rows, ctx.io.columns),
      ...(hidden.length > 0 ? [ctx.paint.dim("Not offered:"), ...hidden] : []),
      ...(listed.pending > 0 ? [`${plural(listed.pending, "pending change")}: hermes skills pending`] : []),
    ].join("\n"),
  };
}

function pageText(page: OutputOf<"skills.view">, { paint }: CliContext): string {
  const { name, description, origin, folder, file, content, linkedFiles, note } = page;
  if (file !== undefined) return visibleLines(content);
  return [
    `${paint.bold(escapeInvisible(name))}  ${paint.dim(`${origin}, ${folder}`)}`,
    escapeInvisible(description),
    ...linkedFiles.map((each) => paint.dim(`  ${escapeInvisible(each)}`)),
    ...(note === undefined ? [] : [paint.warn(escapeInvisible(note))]),
    "",
    visibleLines(content),
  ].join("\n");
}

function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => escapeInvisible(line.replaceAll("\t", "  ")))
    .join("\n");
}

function timeText(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}

async function mustBeSure(question: string, input: CliInput, ctx: CliContext): Promise<void> {
  if (input.flag("yes") || ctx.json || !ctx.io.stdinIsTerminal || !ctx.io.stdoutIsTerminal) return;
  const answer = await askLine(ctx.io, question, ctx.signal);
  if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Nothing was changed.");
}

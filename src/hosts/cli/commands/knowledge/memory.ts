import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { writeFileAtomic } from "../../../../base/files/atomic-file.ts";
import { makeFolder } from "../../../../base/files/make-folder.ts";
import { oneLine, plural } from "../../../../base/text/text.ts";
import { type MemoryRecord, memoryTargets } from "../../../../contracts/knowledge/memory.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { numberArgument, numberOption } from "../../input.ts";
import { editorOf, runEditor } from "../../run-editor.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["memory", "show"],
    summary: "Show the notes that Hermes keeps about you and your work",
    async run(_input, ctx) {
      const { pages } = await ctx.run("memory.show", {});
      const texts = pages.map(({ target, file, entries, chars, limit, fault }) => {
        const facts = fault === undefined ? `${file}, ${chars} of ${limit} characters` : `cannot be read: ${fault}`;
        const head = `${ctx.paint.bold(target)}  ${ctx.paint.dim(escapeInvisible(facts))}`;
        return [head, ...entries.map((entry) => `  • ${escapeInvisible(entry).replaceAll("\n", "\n    ")}`)].join("\n");
      });
      return { data: { pages }, text: texts.join("\n\n") || "Memory is off." };
    },
  },
  {
    path: ["memory", "edit"],
    summary: "Edit MEMORY.md or USER.md in your editor",
    args: [{ name: "target", summary: "memory or user; default: memory", optional: true }],
    run: edit,
  },
  {
    path: ["memory", "history"],
    summary: "List the changes of the notes, oldest first",
    options: [{ flags: "-n, --limit <count>", summary: "maximum number of changes; default: 20" }],
    async run(input, ctx) {
      const { changes } = await ctx.run("memory.history", { limit: numberOption(input, "limit") });
      const lines = changes.map((record) => recordText(record, ctx));
      return { data: { changes }, text: lines.join("\n") || "No changes yet." };
    },
  },
  {
    path: ["memory", "undo"],
    summary: "Undo the last changes of the notes",
    args: [{ name: "count", summary: "number of changes; default: 1", optional: true }],
    async run(input, ctx) {
      const { undone } = await ctx.run("memory.undo", { count: numberArgument(input, "count") });
      const lines = undone.map((record) => recordText(record, ctx));
      return { data: { undone }, text: [`${plural(undone.length, "change")} undone:`, ...lines].join("\n") };
    },
  },
  {
    path: ["memory", "restore"],
    summary: "Restore notes that a damaged file lost, using their history",
    options: [{ flags: "--discard", summary: "keep the damaged file as it is instead" }],
    async run(input, ctx) {
      const discard = input.flag("discard");
      const done = await ctx.run("memory.restore", { discard });
      const pages = done.targets.join(" and ");
      const text = discard ? `Accepted ${pages} as it is.` : `Restored ${pages}.`;
      return { data: done, text: pages === "" ? "No notes file is damaged." : text };
    },
  },
  {
    path: ["memory", "setup"],
    summary: "Use a memory service in addition to the local notes",
    details:
      "Hermes asks the service about each prompt and sends it each exchange. The guide describes its small protocol. The key stays in a " +
      "variable of your .env file; only its name is stored.",
    args: [{ name: "url", summary: "address of the service" }],
    options: [{ flags: "--key-env <name>", summary: "the variable with its key" }],
    examples: ["hermes memory setup https://memory.example.org/v1 --key-env MEMORY_KEY"],
    async run(input, ctx) {
      const data = await ctx.run("memory.setup", { url: input.arg("url"), keyEnv: input.option("keyEnv") });
      return { data, text: "Saved. `hermes memory status` checks whether it answers." };
    },
  },
  {
    path: ["memory", "status"],
    summary: "Check whether the memory service answers",
    async run(_input, ctx) {
      const status = await ctx.run("memory.status", {});
      if (status.provider !== null)
        return { data: status, text: `The service answers. ${escapeInvisible(status.text)}`.trim() };
      const local = "Memory stays on this machine.";
      const text =
        status.configured === ""
          ? `${local} \`hermes memory setup URL\` adds a service.`
          : `There is no memory provider ${status.configured}. ${local}`;
      return { data: { provider: null }, text };
    },
  },
  {
    path: ["memory", "off"],
    summary: "Stop using a memory service; the local notes stay",
    async run(_input, ctx) {
      return { data: await ctx.run("memory.off", {}), text: "No memory service is used." };
    },
  },
];

async function edit(input: CliInput, ctx: CliContext): Promise<Reply> {
  const name = input.optionalArg("target") ?? "memory";
  const target = memoryTargets.find((each) => each === name);
  if (!target) throw new CommandFailed(`There is no page ${name}: use memory or user.`, undefined, 2);
  const editor = editorOf(ctx, "use `hermes tools call memory`");
  const page = (await ctx.run("memory.show", {})).pages.find((each) => each.target === target);
  if (!page) throw new CommandFailed(`${target} is off in the settings.`);
  if (page.fault !== undefined) throw new CommandFailed(`${page.fault}.`);
  const before = page.entries.join("\n§\n");
  // A sandboxed command could change the text in the temporary folder.
  await makeFolder(dirname(page.file), 0o700);
  const draft = join(dirname(page.file), `.edit-${randomUUID()}.md`);
  const written = await writeFileAtomic(draft, `${before}\n`, { mode: 0o600 });
  if (!written.ok) throw new CommandFailed(written.error.message);
  const failed = await runEditor(editor, draft, ctx.signal);
  const after = await readFile(draft, "utf8");
  const isSame = after.trim() === before.trim();
  if (failed === undefined && !isSame) {
    await ctx.run("memory.rewrite", { target, seen: page.entries, text: after }).catch((thrown: unknown) => {
      throw thrown instanceof CommandFailed ? new CommandFailed(thrown.message, `Your text is in ${draft}.`) : thrown;
    });
  }
  await rm(draft, { force: true });
  if (failed !== undefined) throw failed;
  return { data: { target, changed: !isSame }, text: isSame ? "Nothing was changed." : `${page.file} was changed.` };
}

function recordText(
  { at: changedAt, target, by, removed, added, evicted, undoes }: MemoryRecord,
  { paint }: CliContext,
): string {
  const time = new Date(changedAt).toISOString().slice(0, 16).replace("T", " ");
  const parts = [
    ...added.map(({ text }) => paint.good(`+ ${escapeInvisible(oneLine(text, 100))}`)),
    ...removed.map(({ text }) =>
      evicted?.includes(text)
        ? `→ archive: ${escapeInvisible(oneLine(text, 100))}`
        : paint.bad(`− ${escapeInvisible(oneLine(text, 100))}`),
    ),
  ];
  return `${paint.dim(`${time}  ${target}, by ${by}${undoes === undefined ? "" : " (undo)"}`)}  ${parts.join("  ")}`;
}

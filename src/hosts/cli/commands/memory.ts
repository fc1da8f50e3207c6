import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "../../../base/clock.ts";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { silentLog } from "../../../base/log/log.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import { problemText } from "../../../config/problem.ts";
import { setValues } from "../../../config/write.ts";
import { type MemoryRecord, memoryTargets } from "../../../contracts/knowledge/memory.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { editorOf, runEditor } from "../run-editor.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["memory", "show"],
    summary: "Show what is remembered",
    async run(_input, ctx) {
      const { desk } = await open(ctx);
      const pages = await desk.pages();
      const texts = pages.map(({ target, file, entries, chars, limit, fault }) => {
        const facts = fault === undefined ? `${file}, ${chars} of ${limit} characters` : `cannot be read: ${fault}`;
        const head = `${ctx.paint.bold(target)}  ${ctx.paint.dim(visible(facts))}`;
        return [head, ...entries.map((entry) => `  • ${visible(entry).replaceAll("\n", "\n    ")}`)].join("\n");
      });
      return {
        data: { pages: pages.map((page) => ({ ...page, entries: [...page.entries] })) },
        text: texts.join("\n\n") || "The memory is switched off.",
      };
    },
  },
  {
    path: ["memory", "edit"],
    summary: "Edit MEMORY.md or USER.md in your editor",
    args: [{ name: "target", summary: "memory or user; memory when left out", optional: true }],
    run: edit,
  },
  {
    path: ["memory", "history"],
    summary: "Show every change that was made, and what made room",
    options: [{ flags: "-n, --limit <count>", summary: "how many at most; 20 when left out" }],
    async run(input, ctx) {
      const { desk } = await open(ctx);
      const records = (await desk.history()).slice(-countOf(input.option("limit") ?? "20"));
      return {
        data: { changes: records.map(recordData) },
        text: records.map((record) => recordText(record, ctx)).join("\n") || "Nothing was changed yet.",
      };
    },
  },
  {
    path: ["memory", "undo"],
    summary: "Take back the last changes",
    args: [{ name: "count", summary: "how many; 1 when left out", optional: true }],
    async run(input, ctx) {
      const { desk } = await open(ctx);
      const undone = await desk.undo(countOf(input.optionalArg("count") ?? "1"), ctx.signal);
      if (!undone.ok) throw new CommandFailed(`Nothing was taken back: ${undone.error.message}.`);
      const lines = undone.value.map((record) => recordText(record, ctx));
      return {
        data: { undone: undone.value.map(recordData) },
        text: [`${plural(undone.value.length, "change")} taken back:`, ...lines].join("\n"),
      };
    },
  },
  {
    path: ["memory", "setup"],
    summary: "Use a memory service elsewhere, too",
    details:
      "The service is asked about each prompt and told of each exchange. Its small protocol is in the guide. The key stays in a " +
      "variable of your .env file; only its name is stored.",
    args: [{ name: "url", summary: "address of the service" }],
    options: [{ flags: "--key-env <name>", summary: "the variable with its key" }],
    examples: ["hermes memory setup https://memory.example.org/v1 --key-env MEMORY_KEY"],
    async run(input, ctx) {
      const url = input.arg("url");
      if (!URL.canParse(url) || !/^https?:/iu.test(url))
        throw new CommandFailed(`"${url}" is no web address.`, undefined, 2);
      await set(ctx, [
        { path: ["memory", "provider"], value: "http" },
        { path: ["memory", "http", "url"], value: url },
        { path: ["memory", "http", "key_env"], value: input.option("keyEnv") },
      ]);
      return { data: { provider: "http", url }, text: "Set up. `hermes memory status` asks whether it answers." };
    },
  },
  {
    path: ["memory", "status"],
    summary: "Say whether the memory service answers",
    async run(_input, ctx) {
      const { provider, providerName } = await open(ctx);
      if (!provider) {
        const text =
          providerName === ""
            ? "Memory is kept on this machine alone. `hermes memory setup URL` adds a service."
            : `There is no memory provider ${providerName} here; memory is kept on this machine alone.`;
        return { data: { provider: null }, text };
      }
      const status = await provider.status(ctx.signal);
      if (!status.ok) throw new CommandFailed(status.error.message, "`hermes memory off` goes on without it.");
      return {
        data: { provider: provider.name, text: status.value },
        text: `It answers. ${visible(status.value)}`.trim(),
      };
    },
  },
  {
    path: ["memory", "off"],
    summary: "Use no memory service any more; what is kept here stays",
    async run(_input, ctx) {
      await set(ctx, [{ path: ["memory", "provider"], value: undefined }]);
      return { data: { provider: null }, text: "No memory service is used from now on." };
    },
  },
];

async function open(ctx: CliContext) {
  const config = await ctx.config();
  const { openMemory } = await import("../../../runtime/knowledge/open-memory.ts");
  const { createMemoryDesk } = await import("../../../runtime/knowledge/memory-desk.ts");
  const memory = openMemory(config, { principal: ctx.principal, clock: systemClock, log: silentLog });
  return { ...memory, desk: createMemoryDesk(memory), providerName: config.values.memory.provider };
}

async function edit(input: { optionalArg(name: string): string | undefined }, ctx: CliContext): Promise<Reply> {
  const asked = input.optionalArg("target") ?? "memory";
  const target = memoryTargets.find((each) => each === asked);
  if (!target) throw new CommandFailed(`There is no ${asked}: memory or user.`, undefined, 2);
  const editor = editorOf(ctx, "use `hermes tools call memory`");
  const { files, desk } = await open(ctx);
  const page = (await desk.pages()).find((each) => each.target === target);
  if (!page) throw new CommandFailed(`${target} is switched off by the settings.`);
  if (page.fault !== undefined) throw new CommandFailed(`${page.fault}.`);
  const before = page.entries.join("\n§\n");
  const draft = join(tmpdir(), `hermes-memory-${randomUUID()}.md`);
  const written = await writeFileAtomic(draft, `${before}\n`, { mode: 0o600 });
  if (!written.ok) throw new CommandFailed(written.error.message);
  const failed = await runEditor(editor, draft, ctx.signal);
  const after = await readFile(draft, "utf8");
  if (failed === undefined && after.trim() !== before.trim()) {
    const made = await files.rewrite(target, { seen: page.entries, text: after }, { by: "user" }, ctx.signal);
    if (!made.ok)
      throw new CommandFailed(`${target} was not changed: ${made.error.message}.`, `Your text is in ${draft}.`);
  }
  await rm(draft, { force: true });
  if (failed !== undefined) throw failed;
  const isSame = after.trim() === before.trim();
  return { data: { target, changed: !isSame }, text: isSame ? "Nothing was changed." : `${page.file} was changed.` };
}

async function set(ctx: CliContext, changes: Parameters<typeof setValues>[1]): Promise<void> {
  const { home } = await ctx.config();
  const written = await setValues(home, changes, { signal: ctx.signal, clock: systemClock });
  if (!written.ok) throw new CommandFailed(written.error.problems.map(problemText).join("\n"));
}

function countOf(given: string): number {
  const count = Number(given);
  if (!Number.isSafeInteger(count) || count < 1) throw new CommandFailed(`"${given}" is no number.`, undefined, 2);
  return count;
}

function recordText({ at, target, by, removed, added, evicted, undoes }: MemoryRecord, { paint }: CliContext): string {
  const time = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const parts = [
    ...added.map(({ text }) => paint.good(`+ ${visible(oneLine(text, 100))}`)),
    ...removed.map(({ text }) =>
      evicted?.includes(text)
        ? `→ archive: ${visible(oneLine(text, 100))}`
        : paint.bad(`− ${visible(oneLine(text, 100))}`),
    ),
  ];
  return `${paint.dim(`${time}  ${target}, by ${by}${undoes === undefined ? "" : " (undo)"}`)}  ${parts.join("  ")}`;
}

function recordData(record: MemoryRecord) {
  const { removed, added, evicted } = record;
  return {
    ...record,
    removed: removed.map((each) => ({ ...each })),
    added: added.map((each) => ({ ...each })),
    ...(evicted && { evicted: [...evicted] }),
  };
}

import { plural, oneLine } from "../base/text/text.ts";
import type { CommandReply } from "../contracts/host/command.ts";
import { checkpointLine, planLines, planSummary } from "../contracts/knowledge/checkpoint-text.ts";
import type { MemoryChange, MemoryRecord } from "../contracts/knowledge/memory.ts";
import { rows } from "./reply-text.ts";
import type { SlashContext, SlashCommand } from "./slash-command.ts";

export const knowledgeCommands: readonly SlashCommand[] = [
  {
    name: "rollback",
    args: "[n|id|name [path]] | diff n [path]",
    summary: "List checkpoints of your files, or restore files to one; the conversation stays",
    whileBusy: "refuse",
    async run(args, ctx) {
      const words = args
        .trim()
        .split(/\s+/u)
        .filter((word) => word !== "");
      const isSure = words.some((word) => ["now", "--yes", "-y"].includes(word));
      const withDoubts = words.includes("--force");
      const [first, ...rest] = words.filter((word) => !["now", "--yes", "-y", "--force"].includes(word));
      if (first === undefined || first === "list") return list(ctx);
      const [checkpoint = "", ...pathWords] = first === "diff" ? (rest.length === 0 ? ["1"] : rest) : [first, ...rest];
      const path = pathWords.join(" ") || undefined;
      if (first !== "diff") return restore({ checkpoint, path, isSure, withDoubts }, ctx);
      const { diff } = await ctx.run("checkpoints.diff", { checkpoint, path });
      return { text: diff === "" ? "Nothing has changed since." : `\`\`\`diff\n${diff}\n\`\`\`` };
    },
  },
  {
    name: "memory",
    args: "[history|undo [count]|pending|approve ID|reject ID]",
    maxWords: 2,
    summary: "Show the notes about you and your work, or undo changes",
    async run(args, { run }) {
      const [verb = "", rest = ""] = args.trim().split(/\s+/u);
      switch (verb) {
        case "":
          return { text: await pagesText(run) };
        case "history":
          return { text: (await run("memory.history", {})).changes.map(recordText).join("\n") || "No changes yet." };
        case "undo": {
          const count = rest === "" ? 1 : Number(rest);
          if (!Number.isSafeInteger(count) || count < 1)
            return { text: `"${rest}" is not a number of changes.`, failed: true };
          const { undone } = await run("memory.undo", { count });
          return { text: `${plural(undone.length, "change")} undone:\n${undone.map(recordText).join("\n")}` };
        }
        case "pending": {
          const lines = (await run("memory.pending", {})).pending.map(
            ({ id, target, by, changes }) => `${id}  ${target} (${by})  ${changesText(changes)}`,
          );
          return { text: lines.join("\n") || "No change is pending." };
        }
        case "approve":
          return { text: `Stored: ${changesText((await run("memory.approve", { id: rest })).changes)}` };
        case "reject":
          return { text: `Discarded: ${changesText((await run("memory.reject", { id: rest })).changes)}` };
        default:
          return { text: `/memory has no "${verb}"; it has: history, undo, pending, approve, reject.`, failed: true };
      }
    },
  },
  {
    name: "learnings",
    args: "[forget ID]",
    maxWords: 2,
    summary: "Show what Hermes learned from failures, or delete it",
    async run(args, { run }) {
      const [verb = "", id] = args.trim().split(/\s+/u);
      if (verb === "forget") {
        if (id === undefined) return { text: "Pass an id; /learnings lists them.", failed: true };
        await run("learnings.forget", { id });
        return { text: `Forgot ${id}.` };
      }
      if (verb !== "") return { text: `/learnings has no "${verb}"; it has: forget.`, failed: true };
      const { learnings } = await run("learnings.list", {});
      if (learnings.length === 0) return { text: "There are no learnings yet." };
      const lines = learnings.slice(0, maxShown).map(({ id: name, mark, fix, confidence }) => {
        const certain = `${Math.round(confidence * 100)} %`;
        return `- ${name} (${certain}) ${mark.program || mark.tool}: ${oneLine(mark.error, 80)} → ${oneLine(fix, 160)}`;
      });
      const more = learnings.length - maxShown;
      return {
        text: `${lines.join("\n")}${more > 0 ? `\n${plural(more, "learning")} more: hermes learnings list` : ""}`,
      };
    },
  },
];

async function list({ run }: SlashContext): Promise<CommandReply> {
  const { checkpoints } = await run("checkpoints.list", {});
  if (checkpoints.length === 0) return { text: "This session has not changed any files yet." };
  const lines = checkpoints.map((each, index): [string, string] => [
    String(index + 1),
    `${new Date(each.takenAt).toISOString().slice(11, 19)}  ${checkpointLine(each, 100)}`,
  ]);
  return {
    text: `Checkpoints before these calls, the last one first:\n${rows(lines)}\nTo restore the files: /rollback N`,
  };
}

interface RestoreWish {
  readonly checkpoint: string;
  readonly path?: string | undefined;
  readonly isSure: boolean;
  readonly withDoubts: boolean;
}

/** Shows what will change, asks, and restores the files. */
export async function restore(wish: RestoreWish, { run, confirm, signal }: SlashContext): Promise<CommandReply> {
  const { checkpoint: name, path, isSure, withDoubts } = wish;
  const plan = await run("checkpoints.plan", { checkpoint: name, path });
  const { checkpoint, changes } = plan;
  const sure = changes.filter(({ doubt }) => doubt === undefined);
  if (changes.length === 0) return { text: ["Nothing to restore.", ...planLines(plan, 20)].join("\n") };
  const shown = planLines(plan, 40).join("\n");
  let takesDoubts = withDoubts;
  if (!isSure && confirm) {
    const question = `${shown}\nRestore these files (${planSummary(sure)})?`;
    if (sure.length > 0 && !(await confirm(question, signal))) return { text: "Nothing was changed." };
    const doubtful = changes.length - sure.length;
    if (doubtful > 0 && !withDoubts) {
      const more = `${sure.length > 0 ? "" : `${shown}\n`}Also restore the ${plural(doubtful, "file")} marked with !, which somebody else may have changed, or whose change cannot be undone?`;
      takesDoubts = await confirm(more, signal);
    }
  }
  const done = await run("checkpoints.restore", { checkpoint, path, withDoubts: takesDoubts });
  const hasMore = done.left.length > 0 && !takesDoubts && changes.length > sure.length;
  return {
    text: [
      `Done: ${planSummary(done.changes)}.`,
      ...planLines(done, 40),
      ...(hasMore ? ["--force also restores the files marked with !."] : []),
      ...(done.undo === undefined ? [] : [`/rollback ${done.undo} undoes this.`]),
    ].join("\n"),
  };
}

async function pagesText(run: SlashContext["run"]): Promise<string> {
  const { pages } = await run("memory.show", {});
  const texts = pages.map(({ target, entries, chars, limit, fault }) => {
    if (fault !== undefined) return `${target} cannot be read: ${fault}.`;
    const head = `**${target}**, ${Math.round((chars / limit) * 100)} % full`;
    return entries.length === 0
      ? `${head}: empty`
      : `${head}\n${entries.map((each) => `- ${oneLine(each, 300)}`).join("\n")}`;
  });
  if (texts.length === 0) return "Memory is off.";
  return `${texts.join("\n\n")}\n\nThis session started with the notes as they were then.`;
}

/** One line, as the list of changes shows it. */
function recordText({ at: changedAt, target, by, removed, added, evicted, undoes }: MemoryRecord): string {
  const parts = [
    ...added.map(({ text }) => `+ ${oneLine(text, 100)}`),
    ...removed.map(({ text }) => `${evicted?.includes(text) ? "→ archive:" : "−"} ${oneLine(text, 100)}`),
  ];
  const how = undoes === undefined ? by : `${by}, undo`;
  return `${new Date(changedAt).toISOString().slice(0, 16).replace("T", " ")}  ${target} (${how})  ${parts.join("  ")}`;
}

function changesText(changes: readonly MemoryChange[]): string {
  return changes
    .map((change) => {
      if (change.action === "add") return `+ ${oneLine(change.content, 200)}`;
      if (change.action === "remove") return `− ${oneLine(change.oldText, 200)}`;
      return `${oneLine(change.oldText, 100)} → ${oneLine(change.content, 200)}`;
    })
    .join("; ");
}

const maxShown = 20;

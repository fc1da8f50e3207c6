import { plural, oneLine } from "../../base/text/text.ts";
import type { MemoryChange, MemoryRecord } from "../../contracts/knowledge/memory.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";

export const memoryCommand: SlashCommand = {
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
};

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
  return `${texts.join("\n\n")}\n\nThis session uses the notes as they were when it started.`;
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

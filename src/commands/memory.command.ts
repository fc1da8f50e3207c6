import { oneLine, plural } from "../base/text/text.ts";
import type { CommandReply } from "../contracts/host/command.ts";
import type { MemoryChange, MemoryDesk, MemoryRecord, PendingMemory } from "../contracts/knowledge/memory.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "memory",
  args: "[history|undo [count]|pending|approve ID|reject ID]",
  summary: "Show what is remembered, and take changes back",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host, signal }) {
    const desk = host.memory;
    if (!desk) return { text: "There is no memory here.", failed: true };
    const [verb = "", rest = ""] = args.trim().split(/\s+/u);
    switch (verb) {
      case "":
        return { text: await pagesText(desk) };
      case "history":
        return { text: (await desk.history()).slice(-20).map(recordText).join("\n") || "Nothing was changed yet." };
      case "undo":
        return undo(desk, rest, signal);
      case "pending":
        return { text: (await desk.pending()).map(pendingText).join("\n") || "Nothing waits for you." };
      case "approve":
      case "reject": {
        const done = await desk[verb](rest, signal);
        if (!done.ok) return { text: done.error.message, failed: true };
        return { text: `${verb === "approve" ? "Stored" : "Thrown away"}: ${changesText(done.value.changes)}` };
      }
      default:
        return { text: `/memory does not know "${verb}": history, undo, pending, approve, reject.`, failed: true };
    }
  },
});

async function pagesText(desk: MemoryDesk): Promise<string> {
  const pages = await desk.pages();
  const texts = pages.map(({ target, entries, chars, limit, fault }) => {
    if (fault !== undefined) return `${target} cannot be read: ${fault}.`;
    const head = `**${target}**, ${Math.round((chars / limit) * 100)} % full`;
    return entries.length === 0
      ? `${head}: empty`
      : `${head}\n${entries.map((each) => `- ${oneLine(each, 300)}`).join("\n")}`;
  });
  return texts.length === 0
    ? "The memory is switched off."
    : `${texts.join("\n\n")}\n\nThis conversation began with what was there then.`;
}

async function undo(desk: MemoryDesk, given: string, signal: AbortSignal): Promise<CommandReply> {
  const count = given === "" ? 1 : Number(given);
  if (!Number.isSafeInteger(count) || count < 1) return { text: `"${given}" is no number of changes.`, failed: true };
  const undone = await desk.undo(count, signal);
  if (!undone.ok) return { text: undone.error.message, failed: true };
  return { text: `${plural(undone.value.length, "change")} taken back:\n${undone.value.map(recordText).join("\n")}` };
}

/** One line, as the list of changes shows it. */
function recordText({ at, target, by, removed, added, evicted, undoes }: MemoryRecord): string {
  const parts = [
    ...added.map(({ text }) => `+ ${oneLine(text, 100)}`),
    ...removed.map(({ text }) => `${evicted?.includes(text) ? "→ archive:" : "−"} ${oneLine(text, 100)}`),
  ];
  const how = undoes === undefined ? by : `${by}, undo`;
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}  ${target} (${how})  ${parts.join("  ")}`;
}

function pendingText({ id, target, by, changes }: PendingMemory): string {
  return `${id}  ${target} (${by})  ${changesText(changes)}`;
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

import { type CarriedContext, type HistoryItem, summaryBegin } from "../../contracts/model/context.ts";
import type { Message, UserMessage } from "../../contracts/model/message.ts";
import { readBackTool } from "./stubs.ts";

const begin = `${summaryBegin} It is for reference: what it says is done is done; do not begin it again.]`;
const end = "[End of the summary. The conversation goes on below.]";

/** Separates the model's text from the current state. */
const asTheyAre = "[Not summed up: as it is now.]";

/** Replaces the summarised messages, with the parts that must be kept verbatim. */
export function summaryMessage(
  summary: string,
  carry: CarriedContext,
  originals: string,
  prompts: readonly UserMessage[],
): readonly Message[] {
  const carried = carriedText(carry);
  const kept = carried === "" ? "" : `${asTheyAre}\n\n${carried}`;
  const text = [begin, withoutMarks(summary), kept, originals, end].filter((part) => part !== "").join("\n\n");
  return [{ role: "user", content: [{ type: "text", text }] }, ...prompts];
}

/** Removes our markers from the model's text, so that the model cannot end its own notes early. */
function withoutMarks(summary: string): string {
  return [begin, end, asTheyAre].reduce((text, mark) => text.replaceAll(mark, ""), summary).trim();
}

/** The text of an earlier compaction, so that the model updates it instead of starting again. */
export function summaryIn(message: Message | undefined): string | undefined {
  const part = message?.role === "user" ? message.content[0] : undefined;
  if (part?.type !== "text" || !part.text.startsWith(begin)) return undefined;
  const text = part.text.slice(begin.length).replace(end, "");
  const [notes = ""] = text.split(asTheyAre, 1);
  return notes.replace(originalsLine, "").trim();
}

/** Tells the model where the original messages are. */
export function originalsOf(items: readonly HistoryItem[]): string {
  const summary = items[0]?.message.content[0];
  const before = summary?.type === "text" ? originalsLine.exec(summary.text)?.[1] : undefined;
  const last = items.at(-1)?.entry ?? "";
  return `[The original messages are ${before ?? items[0]?.entry ?? ""} to ${last}: ${readBackTool} {"id":"${last}"} shows one.]`;
}

const originalsLine = /^\[The (?:original messages|messages themselves) are (\S+) to .*\]$/mu;

function carriedText({ todos, files, approvals, processes }: CarriedContext): string {
  const open = todos.filter(({ status }) => status === "pending" || status === "in_progress");
  return [
    section(
      "Open todos",
      open.map(({ id, content, status }) => `${id} [${status}] ${content}`),
    ),
    section(
      "Files of this task, last touched last",
      files.map(({ path, how }) => `${path} (${how})`),
    ),
    section("Waiting for approval", approvals),
    section("Background processes", processes),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `## ${title}\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

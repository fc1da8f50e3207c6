import { cut } from "../../base/text/text.ts";
import type { ContentPart, ToolCall } from "../../contracts/model/message.ts";
import type { SearchedRole } from "../../contracts/session/session-search.ts";
import type { Entry } from "../../contracts/session/session.ts";

export interface SearchedText {
  readonly role: SearchedRole;
  readonly text: string;
}

/** The searchable text of an entry. Of a long text, only the beginning and the end are searchable. */
export function searchedText(entry: Entry): SearchedText | undefined {
  if (entry.type === "message") {
    const { message } = entry;
    const content = both(textOf(message.content), saidChars);
    if (message.role === "user") return { role: "user", text: content };
    return { role: "assistant", text: [content, ...message.calls.map(callText)].join("\n") };
  }
  if (entry.type !== "settled" || entry.parentCallId !== undefined) return undefined;
  const { result, tool } = entry;
  const reported = result.ok
    ? textOf(result.value.content)
    : [result.error.message, textOf(result.error.content ?? [])].join("\n");
  return { role: "tool", text: `${tool}: ${both(reported, outputChars)}` };
}

const saidChars = { first: 24_000, last: 8_000 };
const outputChars = { first: 6_000, last: 2_000 };
const callChars = 2_000;

function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : part.type === "file" ? part.path : "")).join("\n");
}

function callText({ name, args }: ToolCall): string {
  const given = typeof args === "string" ? args : JSON.stringify(args);
  // Unescapes line ends and quotes in JSON, which would otherwise stick to words as letters.
  return `${name} ${cut(given, callChars).replace(/\\[nrt"]/gu, " ")}`;
}

function both(text: string, { first, last }: { readonly first: number; readonly last: number }): string {
  return text.length <= first + last ? text : `${text.slice(0, first)}\n…\n${text.slice(-last)}`;
}

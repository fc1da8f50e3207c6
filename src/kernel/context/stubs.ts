import { sha256 } from "../../base/digest.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import type { HistoryItem } from "../../contracts/model/context.ts";
import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
  shownContent,
} from "../../contracts/model/message.ts";

/** The name of the tool that reads an entry of the conversation again. */
export const readBackTool = "read_back";

/** Results and arguments below this length are not replaced, because a placeholder would be longer. */
const shortChars = 200;
const previewChars = 120;
/** Arguments are kept up to a greater length, because the model wrote them itself. */
const longArgs = 800;

/**
 * Replaces old results, duplicate results and long arguments by placeholders that say how to read the original. Texts
 * of the user and the model stay unchanged.
 */
export function stubOldResults(items: readonly HistoryItem[]): readonly Message[] {
  const last = lastByContent(items);
  return items.map(({ entry, message }, index) => {
    if (message.role === "assistant") return withShortCalls(message, longArgs);
    if (message.role === "user") return message;
    const text = shownContent(message.content);
    const isLong = text.length > shortChars || message.content.some(({ type }) => type !== "text");
    if (!isLong || isStub(text)) return message;
    const again = last.get(sha256(text));
    if (again !== undefined && again !== index) return withText(message, sameText(message));
    return withText(message, stubText(message, text, entry));
  });
}

/**
 * Shortens a message that is too long even at the end of the conversation, and keeps its beginning and end. Its text is
 * shortened only if it is `old`, that is, from an earlier turn.
 */
export function shortenMessage({ entry, message }: HistoryItem, maxChars: number, old: boolean): Message {
  if (message.role === "tool") {
    const text = shownContent(message.content);
    return text.length <= maxChars ? message : withText(message, middleLeftOut(text, maxChars, entry));
  }
  const shortMessage = old ? withShortTexts(message, maxChars, entry) : message;
  return shortMessage.role === "assistant" ? withShortCalls(shortMessage, maxChars) : shortMessage;
}

function middleLeftOut(text: string, maxChars: number, entry: string): string {
  const half = Math.floor(maxChars / 2);
  const tail = text.slice(-half).replace(/^[\uDC00-\uDFFF]/u, "");
  const head = cut(text, half);
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out; ${readAgain(entry)} …]\n${tail}`;
}

/** Applied only once: a placeholder of a placeholder would hide how to read the original. */
function withShortTexts(message: UserMessage | AssistantMessage, maxChars: number, entry: string) {
  const isLong = (part: ContentPart) => part.type === "text" && part.text.length > maxChars && !leftOut.test(part.text);
  if (!message.content.some(isLong)) return message;
  const content = message.content.map((part) =>
    part.type === "text" && isLong(part) ? { ...part, text: middleLeftOut(part.text, maxChars, entry) } : part,
  );
  if (message.role === "user") return { ...message, content };
  // The provider's data repeats the text, so it is removed too.
  const { provider: _, ...rest } = message;
  return { ...rest, content };
}

const leftOut = /\n\[… \d+ characters left out; read_back/u;

function stubText({ name, failed }: ToolMessage, text: string, entry: string): string {
  const how = failed ? "a failed " : "";
  const begins = oneLine(text, previewChars);
  return `${stubBegin}${text.length} characters of ${how}${name}, beginning: ${begins}; ${readAgain(entry)}]`;
}

function sameText({ name }: ToolMessage): string {
  return `${stubBegin}the same as a later result of ${name}]`;
}

const stubBegin = "[Left out: ";

/** A placeholder is not shortened again, because that would hide how to read the original. */
function isStub(text: string): boolean {
  return text.startsWith(stubBegin) && text.length < 2 * shortChars + previewChars;
}

function readAgain(id: string): string {
  return `${readBackTool} {"id":"${id}"} shows it`;
}

function withText(message: ToolMessage, text: string): ToolMessage {
  return { ...message, content: [{ type: "text", text }] };
}

/** The provider's data repeats the arguments, so it is removed with them. */
function withShortCalls(message: AssistantMessage, maxChars: number): AssistantMessage {
  if (message.calls.every((call) => argsText(call).length <= maxChars)) return message;
  const { provider: _, ...rest } = message;
  return { ...rest, calls: message.calls.map((call) => shortCall(call, maxChars)) };
}

/** The result stays an object, because providers require one. */
function shortCall(call: ToolCall, maxChars: number): ToolCall {
  const text = argsText(call);
  if (text.length <= maxChars) return call;
  return { ...call, args: { left_out: `${text.length} characters, beginning: ${cut(text, shortChars)}` } };
}

function argsText({ args }: ToolCall): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

function lastByContent(items: readonly HistoryItem[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const [index, { message }] of items.entries())
    if (message.role === "tool") last.set(sha256(shownContent(message.content)), index);
  return last;
}

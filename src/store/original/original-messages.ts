import { asId, type CallId, type EntryId } from "../../base/ids.ts";
import { isObject, type JsonValue } from "../../base/json.ts";
import { valueOr } from "../../base/result.ts";
import type { ContentPart, ToolCall } from "../../contracts/model/message.ts";
import type { Entry, EntryBody } from "../../contracts/session/session.ts";

/** A row of `messages` in the store of Python Hermes. Columns that its version lacks are missing. */
export interface OriginalMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_name?: unknown;
  readonly timestamp?: unknown;
  readonly finish_reason?: unknown;
  readonly reasoning?: unknown;
  readonly active?: unknown;
  readonly compacted?: unknown;
}

/**
 * Converts the messages of a session to entries, except the system prompt. Messages that a compaction hid come first
 * and stay hidden; undone messages are on a separate branch.
 */
export function entriesOf(rows: readonly OriginalMessage[]): readonly Entry[] {
  const entries: Entry[] = [];
  let head: EntryId | undefined;
  let createdAt = 0;
  const add = (body: EntryBody): EntryId => {
    const id = asId<EntryId>(`e${entries.length + 1}`);
    entries.push({ ...body, id, at: createdAt, ...(head !== undefined && { parent: head }) });
    head = id;
    return id;
  };
  const addRow = (row: OriginalMessage) => {
    createdAt = timeOf(row.timestamp) ?? createdAt;
    for (const body of bodiesOf(row)) add(body);
  };

  const hidden = rows.filter(({ compacted }) => compacted === 1);
  for (const row of hidden) addRow(row);
  if (head !== undefined) add({ type: "compacted", through: head, messages: [], tokensBefore: 0, tokensAfter: 0 });

  let before: EntryId | undefined;
  let isUndone = false;
  for (const row of rows) {
    if (row.compacted === 1) continue;
    const isHidden = row.active === 0;
    if (isHidden && !isUndone) before = head;
    if (!isHidden && isUndone) goOn();
    isUndone = isHidden;
    addRow(row);
  }
  if (isUndone) goOn();

  function goOn(): void {
    const to = before;
    head = to;
    add({ type: "head_moved", ...(to !== undefined && { to }), why: "undone before the import" });
  }
  return entries;
}

/** Converts seconds since 1970 to milliseconds. */
export function timeOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? Math.round(value * 1000) : undefined;
}

function bodiesOf(row: OriginalMessage): readonly EntryBody[] {
  const content = partsOf(row.content);
  switch (row.role) {
    case "user":
      return [{ type: "message", message: { role: "user", content } }];
    case "assistant": {
      const calls = callsOf(row.tool_calls);
      const reasoning = typeof row.reasoning === "string" && row.reasoning !== "" ? row.reasoning : undefined;
      const stop = calls.length > 0 ? "calls" : row.finish_reason === "length" ? "length" : "end";
      return [
        {
          type: "message",
          message: { role: "assistant", content, calls, stop, ...(reasoning !== undefined && { reasoning }) },
        },
      ];
    }
    case "tool": {
      if (typeof row.tool_call_id !== "string" || row.tool_call_id === "") return [];
      const tool = typeof row.tool_name === "string" && row.tool_name !== "" ? row.tool_name : "tool";
      return [
        {
          type: "settled",
          callId: asId<CallId>(row.tool_call_id),
          tool,
          result: { ok: true, value: { content } },
          durationMs: 0,
        },
      ];
    }
    default:
      return [];
  }
}

/** Reads plain text, or a JSON list of parts as sent to the API. */
function partsOf(content: unknown): readonly ContentPart[] {
  if (typeof content !== "string" || content === "") return [];
  const parts = content.trimStart().startsWith("[") ? jsonIn(content) : undefined;
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isPart)) return [{ type: "text", text: content }];
  return parts.flatMap((part) => partOf(part));
}

function isPart(part: JsonValue): boolean {
  return isObject(part) && typeof part["type"] === "string" && /text|image/u.test(part["type"]);
}

function partOf(part: JsonValue): readonly ContentPart[] {
  if (!isObject(part)) return [];
  if (typeof part["text"] === "string") return [{ type: "text", text: part["text"] }];
  const { image_url: image } = part;
  const url = isObject(image) ? image["url"] : image;
  const inline = typeof url === "string" ? /^data:(image\/[\w.+-]+);base64,([\w+/=]+)$/u.exec(url) : null;
  const [, mimeType, data] = inline ?? [];
  if (mimeType !== undefined && data !== undefined) return [{ type: "image", mimeType, data }];
  return [{ type: "text", text: `[picture: ${typeof url === "string" ? url : "not kept"}]` }];
}

function callsOf(value: unknown): readonly ToolCall[] {
  const calls = typeof value === "string" && value !== "" ? jsonIn(value) : undefined;
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call) => {
    const request = isObject(call) && isObject(call["function"]) ? call["function"] : undefined;
    const id = isObject(call) ? (call["id"] ?? call["call_id"]) : undefined;
    const { name, arguments: args } = request ?? {};
    if (typeof id !== "string" || typeof name !== "string") return [];
    return [{ id: asId<CallId>(id), name, args: typeof args === "string" ? args : JSON.stringify(args ?? {}) }];
  });
}

function jsonIn(text: string): JsonValue | undefined {
  return valueOr(() => JSON.parse(text) as JsonValue, undefined);
}

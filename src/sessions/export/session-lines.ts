import { isObject } from "../../base/json.ts";
import type { Message } from "../../contracts/model/message.ts";
import { nestedCallReader } from "../../contracts/session/nested-calls.ts";
import type { Entry, SessionRecord } from "../../contracts/session/session.ts";

/** The format name in the header line of a session. The entries follow, one per line. */
export const lineFormat = "hermes-session";
export const lineVersion = 1;

/**
 * Exports the whole session with its branches, for programs and for `sessions import`, without its owner. The entries
 * of a nested call are followed by its summary, which an import skips. With `redact`, secrets are masked and opaque
 * provider data, which cannot be inspected, is omitted.
 */
export function* sessionLines(
  record: SessionRecord,
  entries: readonly Entry[],
  redact?: (text: string) => string,
): Generator<string> {
  const { id, source, createdAt, cwd, model, title, parent, tags, archivedAt } = record;
  const header = {
    format: lineFormat,
    version: lineVersion,
    session: { id, source, createdAt, ...given({ cwd, model, title, parent, tags, archivedAt }) },
  };
  const hide = redact && ((value: unknown) => hidden(value, redact));
  yield `${JSON.stringify(hide ? { ...header, session: { ...hideIn(header.session, hide), id, source } } : header)}\n`;
  const nestedCall = nestedCallReader();
  for (const entry of entries) {
    yield `${JSON.stringify(hide ? hiddenEntry(entry, hide) : entry)}\n`;
    const nested = nestedCall(entry);
    if (nested) yield `${JSON.stringify(hide ? { ...nested, args: hide(nested.args) } : nested)}\n`;
  }
}

type Hide = (value: unknown) => unknown;

/** Ids are never redacted. */
function hiddenEntry(entry: Entry, hide: Hide): object {
  switch (entry.type) {
    case "message":
      return { ...entry, message: hiddenMessage(entry.message, hide) };
    case "compacted":
      return { ...entry, messages: entry.messages.map((message) => hiddenMessage(message, hide)) };
    case "planned": {
      const { callId, parentCallId } = entry.call;
      return { ...entry, call: { ...hideIn(entry.call, hide), callId, ...given({ parentCallId }) } };
    }
    default: {
      const { id, parent, at: writtenAt, type } = entry;
      const ids = given({
        callId: "callId" in entry ? entry.callId : undefined,
        parentCallId: "parentCallId" in entry ? entry.parentCallId : undefined,
        turnId: "turnId" in entry ? entry.turnId : undefined,
        to: "to" in entry ? entry.to : undefined,
        checkpoint: "checkpoint" in entry ? entry.checkpoint : undefined,
      });
      return { ...hideIn(entry, hide), id, ...given({ parent }), at: writtenAt, type, ...ids };
    }
  }
}

function hiddenMessage(message: Message, hide: Hide): object {
  if (message.role !== "assistant")
    return { ...hideIn(message, hide), ...("callId" in message && { callId: message.callId }) };
  const { provider: _, calls, ...rest } = message;
  return { ...hideIn(rest, hide), calls: calls.map((call) => ({ ...hideIn(call, hide), id: call.id })) };
}

function hideIn(value: object, hide: Hide): object {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hide(each)]));
}

function hidden(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((each) => hidden(each, redact));
  if (!isObject(value) || isPicture(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hidden(each, redact)]));
}

function isPicture({ type, mimeType, data }: Record<string, unknown>): boolean {
  const isMedia =
    (type === "image" || type === "audio" || type === "video") &&
    typeof mimeType === "string" &&
    mimeType.startsWith(`${type}/`);
  return isMedia && typeof data === "string" && data.length > 200;
}

function given<T extends object>(fields: T): Partial<T> {
  // Safe cast: only undefined values are dropped.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

import { z } from "zod";

import { asId, type EntryId, type SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import { shownContent } from "../../contracts/model/message.ts";
import type { OwnSessionSearch, SearchedRole, SearchHit } from "../../contracts/session/session-search.ts";
import type { Entry, OwnSessions, SessionRecord } from "../../contracts/session/session.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";

const roles = ["user", "assistant", "tool"] as const;

export default defineTool({
  name: "session_search",
  toolset: "session_search",
  description:
    'Search and read earlier sessions. query searches (words, "phrases", prefix*, -exclude, a OR b); session_id reads one ' +
    "session, or with around_message_id the messages around that message; without both, lists the latest sessions.",
  emoji: "🔎",
  input: z.object({
    query: z.string().optional(),
    session_id: z.string().optional(),
    around_message_id: z.string().optional(),
    window: z.int().min(1).max(20).default(5),
    limit: z.int().min(1).max(10).default(3),
    sort: z.enum(["newest", "oldest"]).optional(),
    detail: z.enum(["adaptive", "full"]).default("adaptive"),
    role_filter: z.string().optional().describe("user,assistant,tool; default: user,assistant"),
    since: z.string().optional().describe("Date (2026-11-01) or age (7d)"),
    until: z.string().optional(),
  }),
  needs: ["sessions", "sessionSearch"],
  traits: { readOnly: true, parallel: true, callers: "both" },
  async run(args, { sessions, sessionSearch: search, sessionId: current, clock, signal }) {
    const filter = rolesOf(args.role_filter);
    if (!filter.ok) return fail(filter.error, "invalid_args");
    const shelf: Shelf = {
      sessions,
      search,
      current,
      signal,
      withResults: filter.value?.includes("tool") ?? false,
    };
    const query = args.query?.trim() ?? "";
    if (args.session_id !== undefined && args.session_id !== "") {
      return args.around_message_id
        ? scroll(args.session_id, args.around_message_id, args.window, shelf)
        : read(args.session_id, shelf);
    }
    if (query === "") return browse(args.limit, shelf);
    const since = timeOf(args.since, clock.now(), false);
    const until = timeOf(args.until, clock.now(), true);
    if (!since.ok) return fail(since.error, "invalid_args");
    if (!until.ok) return fail(until.error, "invalid_args");
    const request = {
      text: query,
      limit: args.limit,
      ...(filter.value && { roles: filter.value }),
      ...(since.value !== undefined && { since: since.value }),
      ...(until.value !== undefined && { until: until.value }),
      ...(args.sort && { sort: args.sort }),
    };
    return discover(request, args.detail === "full", shelf);
  },
});

interface Shelf {
  readonly sessions: OwnSessions;
  readonly search: OwnSessionSearch;
  readonly current: SessionId;
  readonly signal: AbortSignal;
  readonly withResults: boolean;
}

async function discover(
  request: Parameters<OwnSessionSearch["search"]>[0],
  isFull: boolean,
  shelf: Shelf,
): Promise<ToolResult> {
  const { sessions, search, current, signal } = shelf;
  const through = await compactedThrough(shelf);
  const query = { ...request, current: { sessionId: current, ...(through !== undefined && { through }) } };
  const { hits, note, bounded, behind } = await search.search(query, signal);
  const results: JsonObject[] = [];
  for (const [index, hit] of hits.entries()) {
    const record = await sessions.get(hit.sessionId);
    if (!record) continue;
    const surroundings = index === 0 || isFull ? await around(hit, shelf) : {};
    results.push({ ...factsOf(record), ...placeOf(hit), ...surroundings });
  }
  return json({
    mode: "discover",
    results,
    ...(note !== undefined && { note }),
    ...(bounded && { bounded: "there are more matches than the search read: add words, or since and until" }),
    ...(behind > 0 && { behind: `${behind} entries are not searchable yet; they are being read` }),
    ...(results.length === 0 && { hint: "fewer or other words; without a query the last conversations are listed" }),
  });
}

/** Returns the match with the messages around it, and the beginning and end of the session. */
async function around({ sessionId, entry }: SearchHit, shelf: Shelf): Promise<JsonObject> {
  const messages = await messagesOf(sessionId, entry, shelf);
  const index = messages.findIndex(({ id }) => id === entry);
  if (index < 0) return {};
  const from = Math.max(0, index - 5);
  const to = Math.min(messages.length, index + 6);
  return {
    bookend_start: shown(messages.slice(0, Math.min(3, from)), 400),
    messages: shown(messages.slice(from, to), 1_200),
    bookend_end: shown(messages.slice(Math.max(to, messages.length - 3)), 400),
    messages_before: from,
    messages_after: messages.length - to,
  };
}

async function scroll(text: string, anchor: string, window: number, shelf: Shelf): Promise<ToolResult> {
  const request = await shelf.sessions.find(text);
  if (!request.ok) return fail(request.error.message, "invalid_args");
  const record = await holderOf(anchor, request.value, shelf);
  if (!record)
    return fail(
      `Session ${request.value.id} has no message ${anchor}. session_id alone shows its messages.`,
      "invalid_args",
    );
  const { id } = record;
  if (id === shelf.current) {
    const through = await compactedThrough(shelf);
    if (through === undefined || numberOf(anchor) > numberOf(through)) {
      return fail("That is this conversation: you have it before you. Ask for another session_id.", "invalid_args");
    }
  }
  const messages = await messagesOf(id, asId<EntryId>(anchor), shelf);
  const index = messages.findIndex((message) => message.id === anchor);
  if (index < 0)
    return fail(`${anchor} of session ${id} is not a message. session_id alone lists the messages.`, "invalid_args");
  const from = Math.max(0, index - window);
  const to = Math.min(messages.length, index + window + 1);
  return json({
    mode: "scroll",
    ...factsOf(record),
    ...(id !== request.value.id && { note: `${anchor} is in ${id}, which belongs to the same conversation` }),
    messages: shown(messages.slice(from, to), 2_000),
    messages_before: from,
    messages_after: messages.length - to,
  });
}

/** Returns the session that contains the entry: this one, or another one with the same root. */
async function holderOf(anchor: string, request: SessionRecord, shelf: Shelf): Promise<SessionRecord | undefined> {
  const holder = await shelf.sessions.holder(asId<EntryId>(anchor));
  return holder && (await rootOf(holder, shelf)) === (await rootOf(request, shelf)) ? holder : undefined;
}

async function rootOf(record: SessionRecord, { sessions }: Shelf): Promise<SessionId> {
  let root = record;
  for (let depth = 0; root.parent !== undefined && depth < maxDepth; depth++) {
    const parent = await sessions.get(root.parent);
    if (!parent) break;
    root = parent;
  }
  return root.id;
}

const maxDepth = 50;

async function read(text: string, shelf: Shelf): Promise<ToolResult> {
  const match = await shelf.sessions.find(text);
  if (!match.ok) return fail(match.error.message, "invalid_args");
  const messages = await messagesOf(match.value.id, undefined, shelf);
  const isLong = messages.length > 30;
  return json({
    mode: "read",
    ...factsOf(match.value),
    messages: shown(isLong ? messages.slice(0, 20) : messages, 800),
    ...(isLong && {
      left_out: messages.length - 30,
      last_messages: shown(messages.slice(-10), 800),
      hint: "around_message_id shows what lies between",
    }),
  });
}

async function browse(limit: number, { sessions, current }: Shelf): Promise<ToolResult> {
  const match = await sessions.list({ limit: limit + 1 });
  const others = match.filter(({ id }) => id !== current).slice(0, limit);
  return json({
    mode: "browse",
    results: others.map((record) => ({ ...factsOf(record), preview: record.preview ?? "" })),
  });
}

/** Returns the last entry of the current session that compaction has removed from the context. */
async function compactedThrough({ sessions, current }: Shelf): Promise<EntryId | undefined> {
  const path = await sessions.path(current);
  const last = path.findLast(({ type }) => type === "compacted");
  return last?.type === "compacted" ? last.through : undefined;
}

/** Returns the messages of the current branch, or of the branch that contains the entry. */
async function messagesOf(
  id: SessionId,
  entry: EntryId | undefined,
  { sessions, withResults }: Shelf,
): Promise<readonly ShownMessage[]> {
  const path = await sessions.path(id);
  const isThere = entry === undefined || path.some((each) => each.id === entry);
  return sessionMessages(isThere ? path : await sessions.path(id, entry), withResults);
}

function shown(messages: readonly ShownMessage[], maxChars: number): readonly JsonObject[] {
  return shortened(messages, maxChars).map((message) => ({ ...message }));
}

function factsOf({ id, title, source, createdAt, changedAt, messages }: SessionRecord): JsonObject {
  return {
    session_id: id,
    ...(title !== undefined && { title }),
    source,
    started_at: new Date(createdAt).toISOString(),
    last_active: new Date(changedAt).toISOString(),
    message_count: messages,
  };
}

function placeOf({ entry, role, at: index, snippet, isTitle, more }: SearchHit): JsonObject {
  return {
    match_message_id: entry,
    match_in: isTitle ? "title" : role,
    match_at: new Date(index).toISOString(),
    snippet,
    ...(more > 0 && { more_matches: more }),
  };
}

function numberOf(entry: string): number {
  return Number(entry.replace(/^e/u, ""));
}

function rolesOf(text: string | undefined): Result<readonly SearchedRole[] | undefined, string> {
  const words = (text ?? "").split(/[\s,]+/u).filter((word) => word !== "");
  const unknown = words.find((word) => !roles.some((role) => role === word));
  if (unknown !== undefined) return err(`role_filter: "${unknown}" is none of ${roles.join(", ")}`);
  return ok(words.length === 0 ? undefined : roles.filter((role) => words.includes(role)));
}

/** Parses a day, a time, or an age in days or hours. A day as the end of a range includes the whole day. */
function timeOf(text: string | undefined, now: number, isEnd: boolean): Result<number | undefined, string> {
  const given = text?.trim() ?? "";
  if (given === "") return ok(undefined);
  const ago = /^(\d{1,5})\s*([dhw])$/u.exec(given);
  if (ago) return ok(now - Number(ago[1]) * (ago[2] === "h" ? hourMs : ago[2] === "w" ? 7 * 24 * hourMs : 24 * hourMs));
  const parsedAt = Date.parse(given);
  if (Number.isNaN(parsedAt))
    return err(`"${given}" is not a date: write 2026-11-01, 2026-11-01T14:00, or 7d for days ago`);
  return ok(isEnd && /^\d{4}-\d\d-\d\d$/u.test(given) ? parsedAt + 24 * hourMs - 1 : parsedAt);
}

const hourMs = 3_600_000;

interface ShownMessage {
  readonly id: string;
  readonly role: SearchedRole;
  readonly at: string;
  readonly text: string;
}

/** Returns the messages on a path, in order. Of tool results it returns only the names, unless `withResults`. */
function sessionMessages(path: readonly Entry[], withResults: boolean): readonly ShownMessage[] {
  return path.flatMap((entry): readonly ShownMessage[] => {
    const { id, at: index } = entry;
    const place = { id, at: new Date(index).toISOString() };
    if (entry.type === "message") {
      const { message } = entry;
      const calls = message.role === "assistant" ? message.calls.map(({ name }) => `[called ${name}]`) : [];
      const text = [shownContent(message.content), ...calls].filter((part) => part !== "").join("\n");
      return text === "" ? [] : [{ ...place, role: message.role, text }];
    }
    if (entry.type !== "settled" || entry.parentCallId !== undefined) return [];
    const { result, tool } = entry;
    const reported = result.ok ? shownContent(result.value.content) : result.error.message;
    const how = result.ok ? "done" : "failed";
    return [{ ...place, role: "tool" as const, text: withResults ? `${tool}: ${reported}` : `[${tool} ${how}]` }];
  });
}

function shortened(messages: readonly ShownMessage[], maxChars: number): readonly ShownMessage[] {
  return messages.map((message) =>
    message.text.length <= maxChars
      ? message
      : { ...message, text: `${cut(message.text, maxChars)}… (${message.text.length} characters)` },
  );
}

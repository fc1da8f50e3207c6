import type { DatabaseSync } from "node:sqlite";

import { asId, type EntryId, type SessionId } from "../../base/ids.ts";
import type { Usage } from "../../contracts/model/model.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { BookedUsage, Entry, NewSession } from "../../contracts/session/session.ts";
import { asRows } from "../statements.ts";
import { entriesOf, type OriginalMessage, timeOf } from "./original-messages.ts";

/** A session of Python Hermes, converted to our format. */
export interface OriginalSession {
  readonly session: NewSession & { readonly id: SessionId; readonly createdAt: number };
  readonly archived: boolean;
  /** The entries, read on demand because a store may have gigabytes. */
  entries(): readonly Entry[];
}

/**
 * All sessions, parents first. Only columns that the file has are selected: versions 11 to 25 differ in their
 * columns, and shared columns have the same meaning.
 */
export function* originalSessions(database: DatabaseSync, owner: Principal): Generator<OriginalSession, void, void> {
  const columns = columnsOf(database, "sessions");
  const usageColumns = columnsOf(database, "session_model_usage");
  const names = sessionColumns.filter((name) => columns.has(name));
  const messages = messageStatement(database);
  const usage =
    usageColumns.size === 0
      ? undefined
      : database.prepare("SELECT * FROM session_model_usage WHERE session_id = ? ORDER BY rowid");
  const seen = new Set<string>();
  const rows = asRows<SessionRow>(
    database.prepare(`SELECT ${names.join(", ")} FROM sessions ORDER BY started_at, id`).all(),
  );
  for (const row of parentsFirst(rows)) {
    seen.add(row.id);
    const parent = text(row.parent_session_id);
    const cwd = text(row.cwd);
    const model = text(row.model);
    const title = text(row.title);
    yield {
      session: {
        id: asId<SessionId>(row.id),
        source: text(row.source) ?? "cli",
        principal: principalOf(row, owner),
        createdAt: timeOf(row.started_at) ?? 0,
        ...(cwd !== undefined && { cwd }),
        ...(model !== undefined && { model }),
        ...(title !== undefined && { title }),
        ...(parent !== undefined && seen.has(parent) && { parent: asId<SessionId>(parent) }),
      },
      archived: row.archived === 1,
      entries() {
        const entries = entriesOf(asRows<OriginalMessage>(messages.all(row.id)));
        const booked = usage ? asRows<UsageRow>(usage.all(row.id)).map(bookedOf) : [];
        return withUsage(entries, booked.length > 0 ? booked : wholeUsage(row), timeOf(row.started_at) ?? 0);
      },
    };
  }
}

interface SessionRow extends TokenCounts {
  readonly id: string;
  readonly source?: unknown;
  readonly user_id?: unknown;
  readonly model?: unknown;
  readonly parent_session_id?: unknown;
  readonly started_at?: unknown;
  readonly cwd?: unknown;
  readonly title?: unknown;
  readonly archived?: unknown;
  readonly billing_provider?: unknown;
}

interface TokenCounts {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_tokens?: unknown;
  readonly cache_write_tokens?: unknown;
  readonly reasoning_tokens?: unknown;
  readonly estimated_cost_usd?: unknown;
  readonly actual_cost_usd?: unknown;
}

interface UsageRow extends TokenCounts {
  readonly model?: unknown;
  readonly billing_provider?: unknown;
  readonly task?: unknown;
}

const tokenColumns = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "estimated_cost_usd",
  "actual_cost_usd",
] as const;

const sessionColumns = [
  ..."id source user_id model parent_session_id started_at cwd title archived billing_provider".split(" "),
  ...tokenColumns,
];

const messageColumns =
  "role content tool_call_id tool_calls tool_name timestamp finish_reason reasoning active compacted".split(" ");

function columnsOf(database: DatabaseSync, table: string): ReadonlySet<unknown> {
  return new Set(
    database
      .prepare(`SELECT name FROM pragma_table_info(?)`)
      .all(table)
      .map(({ name }) => name),
  );
}

function messageStatement(database: DatabaseSync) {
  const columns = columnsOf(database, "messages");
  const names = messageColumns.filter((name) => columns.has(name));
  return database.prepare(`SELECT ${names.join(", ")} FROM messages WHERE session_id = ? ORDER BY id`);
}

/** Sorted by time, with every parent before its children. */
function parentsFirst(rows: readonly SessionRow[]): readonly SessionRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ordered = new Set<SessionRow>();
  for (const row of rows) {
    const family: SessionRow[] = [];
    for (let current: SessionRow | undefined = row; current && !ordered.has(current) && !family.includes(current);) {
      family.push(current);
      current = byId.get(text(current.parent_session_id) ?? "");
    }
    for (const one of family.toReversed()) ordered.add(one);
  }
  return [...ordered];
}

/** The principal: the user of this machine or of a chat platform. */
function principalOf({ source, user_id: user }: SessionRow, owner: Principal): Principal {
  const name = text(user);
  const from = text(source) ?? "cli";
  return name === undefined || localSources.has(from) ? owner : { id: `${from}:${name}` };
}

const localSources: ReadonlySet<string> = new Set(["cli", "tui", "acp", "cron", "batch", "tool", "subagent"]);

function bookedOf(row: UsageRow): BookedUsage {
  return {
    provider: text(row.billing_provider) ?? "unknown",
    model: text(row.model) ?? "unknown",
    task: text(row.task) ?? "chat",
    usage: usageOf(row),
  };
}

/** The total usage, from a version that did not count by model. */
function wholeUsage(row: SessionRow): readonly BookedUsage[] {
  const usage = usageOf(row);
  return usage.input + usage.output === 0 ? [] : [bookedOf(row)];
}

function usageOf(row: TokenCounts): Usage {
  const count = (value: unknown) => (typeof value === "number" && value > 0 ? Math.round(value) : 0);
  const cost = [row.actual_cost_usd, row.estimated_cost_usd].find((value) => typeof value === "number");
  return {
    input: count(row.input_tokens),
    output: count(row.output_tokens),
    cacheRead: count(row.cache_read_tokens),
    cacheWrite: count(row.cache_write_tokens),
    reasoning: count(row.reasoning_tokens),
    ...(typeof cost === "number" && { costUsd: cost }),
  };
}

function withUsage(entries: readonly Entry[], booked: readonly BookedUsage[], startedAt: number): readonly Entry[] {
  const all = [...entries];
  for (const usage of booked) {
    const last = all.at(-1);
    const id = asId<EntryId>(`e${all.length + 1}`);
    all.push({ type: "usage", ...usage, id, at: last?.at ?? startedAt, ...(last && { parent: last.id }) });
  }
  return all;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

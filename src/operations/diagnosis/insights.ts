import { ok } from "../../base/result.ts";
import { integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import type { Usage } from "../../contracts/model/model.ts";
import type { SessionStore } from "../../contracts/session/session.ts";
import { readOperation } from "../operation.ts";
import { maxSessions } from "../sessions/session-records.ts";

const dayMs = 86_400_000;

export const operations = {
  report: readOperation({
    summary: "Report sessions, messages, tokens, cost and tools of the last days, by day, model, tool and hour",
    input: object({
      days: optional(integer("number of days, including today; default: 30", { minimum: 1, maximum: 3_660 })),
      source: optional(string("only sessions from this source, such as cli or oneshot")),
    }),
    needs: ["sessions"],
    async run({ days = 30, source }, { sessions }, ctx) {
      const now = ctx.clock.now();
      const since = new Date(now).setHours(0, 0, 0, 0) - (days - 1) * dayMs;
      const counted = await countActivity(sessions, since, source, ctx);
      const byDay = Array.from({ length: days }, (_, index) => {
        const date = dayOf(now - (days - 1 - index) * dayMs);
        return { date, ...(counted.days.get(date) ?? noActivity) };
      });
      return ok({
        days,
        since,
        ...(source !== undefined && { source }),
        sessions: counted.sessions,
        bySource: ranked(counted.sources),
        ...counted.total,
        toolCalls: sum(counted.tools),
        byDay,
        byModel: [...counted.models]
          .map(([model, activity]) => ({ model, ...activity }))
          .toSorted((a, b) => b.tokens - a.tokens),
        byTool: ranked(counted.tools),
        byHour: Array.from({ length: 24 }, (_, hour) => counted.hours.get(hour) ?? 0),
        longestMs: counted.longestMs,
      });
    },
  }),
};

/** Counts of one period, or of one model. */
interface Activity {
  readonly messages: number;
  readonly calls: number;
  readonly tokens: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly costUsd: number;
  /** Calls without a known price. */
  readonly unknownCost: number;
}

const noActivity: Activity = {
  messages: 0,
  calls: 0,
  tokens: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  costUsd: 0,
  unknownCost: 0,
};

async function countActivity(
  store: SessionStore | undefined,
  since: number,
  source: string | undefined,
  { principal, signal }: OperationContext,
) {
  const days = new Map<string, Activity>();
  const models = new Map<string, Activity>();
  const tools = new Map<string, number>();
  const hours = new Map<number, number>();
  const sources = new Map<string, number>();
  let total = noActivity;
  let longestMs = 0;
  const listed = (await store?.list({ limit: maxSessions, ...(source !== undefined && { source }) }, principal)) ?? [];
  const recent = listed.filter(({ changedAt, messages }) => changedAt >= since && messages > 0);
  for (const record of recent) {
    signal.throwIfAborted();
    add(sources, record.source, 1);
    longestMs = Math.max(longestMs, record.changedAt - record.createdAt);
    const read = async (type: "message" | "usage" | "planned") =>
      ((await store?.entries(record.id, type)) ?? []).filter((entry) => entry.at >= since);
    for (const { at: writtenAt } of await read("message")) {
      const counted = { ...noActivity, messages: 1 };
      merge(days, dayOf(writtenAt), counted);
      add(hours, new Date(writtenAt).getHours(), 1);
      total = plus(total, counted);
    }
    for (const entry of await read("usage")) {
      if (entry.type !== "usage") continue;
      const counted = activityOf(entry.usage);
      merge(days, dayOf(entry.at), counted);
      merge(models, `${entry.provider}/${entry.model}`, counted);
      total = plus(total, counted);
    }
    for (const entry of await read("planned")) if (entry.type === "planned") add(tools, entry.call.tool, 1);
  }
  return { sessions: recent.length, days, models, tools, hours, sources, total, longestMs };
}

function activityOf({ input, output, cacheRead, costUsd }: Usage): Activity {
  return {
    messages: 0,
    calls: 1,
    tokens: input + output,
    input,
    output,
    cacheRead,
    costUsd: costUsd ?? 0,
    unknownCost: costUsd === undefined ? 1 : 0,
  };
}

function plus(left: Activity, right: Activity): Activity {
  return {
    messages: left.messages + right.messages,
    calls: left.calls + right.calls,
    tokens: left.tokens + right.tokens,
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    costUsd: left.costUsd + right.costUsd,
    unknownCost: left.unknownCost + right.unknownCost,
  };
}

function merge(into: Map<string, Activity>, key: string, more: Activity): void {
  into.set(key, plus(into.get(key) ?? noActivity, more));
}

function add<Key>(into: Map<Key, number>, key: Key, count: number): void {
  into.set(key, (into.get(key) ?? 0) + count);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, each) => all + each, 0);
}

function ranked(counts: ReadonlyMap<string, number>) {
  return [...counts].map(([name, count]) => ({ name, count })).toSorted((a, b) => b.count - a.count);
}

/** `2026-11-15`, in local time. */
function dayOf(epochMs: number): string {
  return new Date(epochMs - new Date(epochMs).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

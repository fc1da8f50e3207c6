import { statSync } from "node:fs";
import { join } from "node:path";

import { plural } from "../../../base/text/text.ts";
import { timeText } from "../../../base/text/time-text.ts";
import { homeFiles } from "../../../config/home.ts";
import type { SessionRecord } from "../../../contracts/session/session.ts";
import { visible } from "../ask-approval.ts";
import type { CliCommand } from "../command.ts";
import { table } from "../table.ts";
import { withSessions } from "./session-lookup.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "stats"],
    summary: "Count sessions and messages, what they cost and the room they take",
    async run(_input, ctx) {
      const { home } = await ctx.config();
      return withSessions(ctx, async (open) => {
        if (!open) return { data: { sessions: 0 }, text: "There is no session yet." };
        const { store, who } = open;
        const query = { limit: 1_000_000 };
        const [listed, archived, deleted] = await Promise.all([
          store.list(query, who),
          store.list({ ...query, only: "archived" }, who),
          store.list({ ...query, only: "deleted" }, who),
        ]);
        const all = [...listed, ...archived];
        const { tokens, costUsd, calls } = await store.spent({});
        const bytes = sizeOf(join(home.path, homeFiles.sessions));
        const messages = all.reduce((sum, each) => sum + each.messages, 0);
        const sources = bySource(all);
        const times = all.map(({ createdAt }) => createdAt);
        const oldest = times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
        const rows = [
          ["sessions", `${listed.length}, ${archived.length} archived, ${deleted.length} deleted`],
          ["messages", String(messages)],
          ...sources.map(({ source, sessions, messages: said }) => [
            `from ${visible(source)}`,
            `${plural(sessions, "session")}, ${plural(said, "message")}`,
          ]),
          ...(oldest === undefined ? [] : [["since", timeText(oldest)]]),
          ["model calls", `${calls}, ${tokens.toLocaleString("en")} tokens, $${costUsd.toFixed(2)}`],
          ["on the disk", `${(bytes / 1e6).toFixed(1)} MB`],
        ];
        return {
          data: {
            sessions: listed.length,
            archived: archived.length,
            deleted: deleted.length,
            messages,
            sources: sources.map((each) => ({ ...each })),
            ...(oldest !== undefined && { oldest }),
            calls,
            tokens,
            costUsd,
            bytes,
          },
          text: table(rows, ctx.io.columns),
        };
      });
    },
  },
];

function bySource(records: readonly SessionRecord[]) {
  const counts = new Map<string, { source: string; sessions: number; messages: number }>();
  for (const { source, messages } of records) {
    const count = counts.get(source) ?? { source, sessions: 0, messages: 0 };
    count.sessions += 1;
    count.messages += messages;
    counts.set(source, count);
  }
  return [...counts.values()].toSorted((a, b) => b.sessions - a.sessions);
}

/** With what waits to be written into it. */
function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0), 0);
}

import { systemClock } from "../../../base/clock.ts";
import type { Spent } from "../../../contracts/session/session.ts";
import type { CliCommand } from "../command.ts";
import { table } from "../table.ts";
import { warningsOf } from "./session-lookup.ts";

const dayMs = 86_400_000;

export const commands: readonly CliCommand[] = [
  {
    path: ["usage"],
    summary: "Show tokens and cost of today, the last days and all time",
    details:
      "Of all sessions, calls for summaries and titles included. Budgets are set with budget.max_usd_per_day and others.",
    async run(_input, ctx) {
      const config = await ctx.config();
      const { openSessions } = await import("../../../runtime/session/open-sessions.ts");
      await using store = await openSessions(config, warningsOf(ctx));
      const now = systemClock.now();
      const spans: readonly (readonly [string, number])[] = [
        ["today", new Date(now).setHours(0, 0, 0, 0)],
        ["7 days", now - 7 * dayMs],
        ["30 days", now - 30 * dayMs],
        ["all time", 0],
      ];
      const spent = await Promise.all(
        spans.map(async ([name, since]) => ({ name, ...((await store?.spent({ since })) ?? nothing) })),
      );
      const { budget } = config.values;
      const caps = { turn: budget.max_usd_per_turn, session: budget.max_usd_per_session, day: budget.max_usd_per_day };
      const tokens = {
        turn: budget.max_tokens_per_turn,
        session: budget.max_tokens_per_session,
        day: budget.max_tokens_per_day,
      };
      const rows = spent.map((each) => [each.name, `${each.tokens} tokens`, `${each.calls} calls`, costText(each)]);
      const capped = [
        ...Object.entries(caps).flatMap(([name, usd]) => (usd === null ? [] : [`$${usd} a ${name}`])),
        ...Object.entries(tokens).flatMap(([name, most]) => (most === null ? [] : [`${most} tokens a ${name}`])),
      ];
      return {
        data: { spent: spent.map((each) => ({ ...each })), capsUsd: caps, capsTokens: tokens },
        text: `${table(rows, ctx.io.columns)}\n${ctx.paint.dim(capped.length === 0 ? "No cap is set; one for a day, for example: hermes config set budget.max_usd_per_day 5" : `Caps: ${capped.join(", ")}`)}`,
      };
    },
  },
];

const nothing: Spent = { costUsd: 0, tokens: 0, calls: 0, unknownCost: 0 };

function costText({ costUsd, unknownCost }: Spent): string {
  const known = `$${costUsd !== 0 && costUsd < 0.1 ? costUsd.toFixed(4) : costUsd.toFixed(2)}`;
  return unknownCost === 0 ? known : `${known} and ${unknownCost} calls of unknown price`;
}

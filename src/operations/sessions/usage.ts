import { ok } from "../../base/result.ts";
import type { Spent } from "../../contracts/session/session.ts";
import { readOperation } from "../operation.ts";

const dayMs = 86_400_000;
const nothing: Spent = { costUsd: 0, tokens: 0, calls: 0, unknownCost: 0 };

export const operations = {
  report: readOperation({
    summary: "Report tokens and cost of your sessions: today, the last days, all time, and the caps",
    needs: ["config", "sessions"],
    async run(_input, { config, sessions }, { clock, principal }) {
      const now = clock.now();
      const periods: readonly (readonly [string, number])[] = [
        ["today", new Date(now).setHours(0, 0, 0, 0)],
        ["7 days", now - 7 * dayMs],
        ["30 days", now - 30 * dayMs],
        ["all time", 0],
      ];
      const spent = await Promise.all(
        periods.map(async ([name, since]) => ({
          name,
          ...((await sessions?.spent({ who: principal, since })) ?? nothing),
        })),
      );
      const { budget } = config.values;
      return ok({
        spent,
        capsUsd: { turn: budget.max_usd_per_turn, session: budget.max_usd_per_session, day: budget.max_usd_per_day },
        capsTokens: {
          turn: budget.max_tokens_per_turn,
          session: budget.max_tokens_per_session,
          day: budget.max_tokens_per_day,
        },
      });
    },
  }),

  session: readOperation({
    summary: "Report tokens and cost of the last turn, this session and today",
    needs: ["session"],
    run: async (_input, { session }) => ok(await session.usage()),
  }),
};

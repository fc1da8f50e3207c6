import { z } from "zod";

import { setting } from "./setting.ts";

const usd = (period: string) =>
  setting(z.number().min(0).nullable().default(null), `Maximum US dollars per ${period}; 0: call no model.`, {
    project: "lower",
  });
const tokens = (period: string) =>
  setting(z.number().int().min(0).nullable().default(null), `Maximum tokens, input and output, per ${period}.`, {
    project: "lower",
  });

export const budget = setting(
  z.object({
    max_usd_per_turn: usd("turn"),
    max_usd_per_session: usd("session, including the sessions it starts"),
    max_usd_per_day: usd("day, over all sessions of this home"),
    max_tokens_per_turn: tokens("turn"),
    max_tokens_per_session: tokens("session, including the sessions it starts"),
    max_tokens_per_day: tokens("day, over all sessions of this home"),
  }),
  "Spending limits for models. Checked before every call, including auxiliary ones.",
  { safety: true },
);

import { z } from "zod";

import { setting } from "./setting.ts";

const usd = (period: string) =>
  setting(
    z.number().min(0).nullable().default(null),
    `Most US dollars for a ${period}; 0: no model is called at all.`,
    {
      project: "lower",
    },
  );
const tokens = (period: string) =>
  setting(z.number().int().min(0).nullable().default(null), `Most tokens, read and written, for a ${period}.`, {
    project: "lower",
  });

export const budget = setting(
  z.object({
    max_usd_per_turn: usd("turn"),
    max_usd_per_session: usd("session with all that it starts"),
    max_usd_per_day: usd("day, over all sessions of this home"),
    max_tokens_per_turn: tokens("turn"),
    max_tokens_per_session: tokens("session with all that it starts"),
    max_tokens_per_day: tokens("day, over all sessions of this home"),
  }),
  "What may be spent on models. Checked before every call, auxiliary ones included.",
  { safety: true },
);

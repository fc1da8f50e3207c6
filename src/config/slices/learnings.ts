import { z } from "zod";

import { setting } from "./setting.ts";

export const learnings = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Remember which fix helped after a failed call, and show it when the same failure happens again.",
    ),
  }),
  "Learning from failures.",
);

export const feedback = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Ask at the terminal how it went after long or hard work. Enter skips the question.",
    ),
    min_tool_calls: setting(z.int().min(1).max(10_000).default(20), "Number of tool calls that make work long."),
    min_recovered: setting(z.int().min(1).max(1_000).default(4), "Number of failed calls that make work hard."),
    interval_minutes: setting(z.number().min(0).max(525_600).default(120), "Minimum minutes between two questions."),
  }),
  "Questions about how the work went.",
);

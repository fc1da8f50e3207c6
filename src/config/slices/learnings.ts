import { z } from "zod";

import { setting } from "./setting.ts";

export const learnings = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Remember which fix helped after a failed call, and show it when the same failure comes again.",
    ),
  }),
  "What is learned from failures.",
);

export const feedback = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Ask at the terminal how it went, after long or hard work. Enter skips.",
    ),
    min_tool_calls: setting(z.int().min(1).max(10_000).default(20), "Work with so many tool calls is long."),
    min_recovered: setting(z.int().min(1).max(1_000).default(4), "Work with so many failed calls is hard."),
    interval_minutes: setting(z.number().min(0).max(525_600).default(120), "Never asked more often than this."),
  }),
  "Asking how the work went.",
);

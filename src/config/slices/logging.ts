import { z } from "zod";

import { setting } from "./setting.ts";

export const logging = setting(
  z.object({
    level: setting(z.enum(["debug", "info", "warn", "error"]).default("info"), "The least important lines kept.", {
      env: "HERMES_LOG_LEVEL",
    }),
    max_file_mb: setting(z.number().min(0.1).max(1_000).default(5), "Megabytes before a log file is rotated."),
    max_total_mb: setting(z.number().min(0.1).max(10_000).default(50), "Megabytes of all log files together."),
  }),
  "Log files in `logs/` of the home.",
);

import { z } from "zod";

import { setting } from "./setting.ts";

export const logging = setting(
  z.object({
    level: setting(z.enum(["debug", "info", "warn", "error"]).default("info"), "Minimum level of logged lines.", {
      env: "HERMES_LOG_LEVEL",
    }),
    max_file_mb: setting(
      z.number().min(0.1).max(1_000).default(5),
      "Size in megabytes at which a log file is rotated.",
    ),
    max_total_mb: setting(z.number().min(0.1).max(10_000).default(50), "Maximum megabytes of all log files."),
  }),
  "Log files in `logs/` of the home.",
);

import { z } from "zod";

import { setting } from "./setting.ts";

export const sessions = setting(
  z.object({
    record: setting(
      z.boolean().default(false),
      "Record every session with model answers and tool results, for hermes replay. Secrets are removed.",
    ),
    retention_days: setting(
      z.int().min(0).max(36_500).default(180),
      "Days after which an unused session is deleted; you can undelete it for a day. 0: never. Sessions with the tag keep and archived sessions stay.",
    ),
    max_mb: setting(
      z.int().min(0).max(10_000_000).default(2_000),
      "Maximum megabytes of all sessions; above it, the oldest are erased, except those with the tag keep. 0: no limit.",
    ),
  }),
  "Stored sessions.",
);

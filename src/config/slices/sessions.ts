import { z } from "zod";

import { setting } from "./setting.ts";

export const sessions = setting(
  z.object({
    record: setting(
      z.boolean().default(false),
      "Record every session with the model's answers and the tools' results, for hermes replay. Secrets are taken out.",
    ),
    retention_days: setting(
      z.int().min(0).max(36_500).default(180),
      "Days after which a session that was not used is deleted; for a day it can be taken back. 0: never. The tag keep and the archive keep a session.",
    ),
    max_mb: setting(
      z.int().min(0).max(10_000_000).default(2_000),
      "Megabytes that all sessions may take; above that the oldest are removed, never those with the tag keep. 0: no limit.",
    ),
  }),
  "Conversations and what is kept of them.",
);

import { z } from "zod";

import { setting } from "./setting.ts";

export const checkpoints = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Record files before a call changes them, so that `hermes rollback` and `/rollback` can bring them back.",
      { project: "true" },
    ),
    max_total_size_mb: setting(
      z.number().min(1).max(1_000_000).default(1_000),
      "Most megabytes for all checkpoints of this home, checked before anything is written; the oldest go first.",
    ),
    max_file_size_mb: setting(
      z.number().min(0.001).max(1_000).default(10),
      "Larger files are not recorded, and named as such.",
    ),
    retention_days: setting(z.number().min(0.01).max(3_650).default(7), "Days until a checkpoint is removed."),
  }),
  "Checkpoints of files, in file-checkpoints/ of the home folder. Your git repository is never touched.",
);

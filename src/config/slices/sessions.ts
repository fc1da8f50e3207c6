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
    receive_messages: setting(
      z.enum(["ask", "allow", "off"]).default("ask"),
      "Whether agents of your other sessions may write to a session with `sessions_send`. ask: you are asked in the receiving session, and can allow it for longer.",
      { project: ["off", "ask", "allow"] },
    ),
  }),
  "Stored sessions.",
);

export const checkpoints = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Record files before a call changes them, so that `hermes rollback` and `/rollback` can restore them.",
      { project: "true" },
    ),
    max_total_size_mb: setting(
      z.number().min(1).max(1_000_000).default(1_000),
      "Maximum megabytes for all checkpoints of this home, checked before each write; the oldest are deleted first.",
    ),
    max_file_size_mb: setting(
      z.number().min(0.001).max(1_000).default(10),
      "Maximum size of a recorded file. Hermes names larger files and does not record them.",
    ),
    retention_days: setting(z.number().min(0.01).max(3_650).default(7), "Days until a checkpoint is deleted."),
  }),
  "File checkpoints, stored in file-checkpoints/ of the home folder. Hermes never touches your git repository.",
);

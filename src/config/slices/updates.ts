import { z } from "zod";

import { setting } from "./setting.ts";

export const updates = setting(
  z.object({
    pre_update_backup: setting(
      z.boolean().default(false),
      "Back up the home before each `hermes update`, to `backups/` in the home, without secrets.",
    ),
    backup_keep: setting(
      z.number().int().min(1).max(100).default(5),
      "Number of backups before updates to keep; the oldest one is deleted first.",
    ),
  }),
  "Updates of Hermes.",
);

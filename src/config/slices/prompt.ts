import { z } from "zod";

import { setting } from "./setting.ts";

export const context = setting(
  z.object({
    engine: setting(
      z.string().min(1).default("compressor"),
      "Engine that keeps sessions within the window: `compressor`, or a plugin's.",
    ),
  }),
  "The context of a session.",
);

export const context_file_max_chars = setting(
  z.int().min(1_000).max(500_000).nullable().default(null),
  "Maximum characters of one context file. Default: 20,000, or more for a large window.",
);

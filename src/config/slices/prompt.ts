import { z } from "zod";

import { setting } from "./setting.ts";

export const context = setting(
  z.object({
    engine: setting(
      z.string().min(1).default("compressor"),
      "What keeps conversations within the window: `compressor`, or one that a plugin brings.",
    ),
  }),
  "The context of a conversation.",
);

export const context_file_max_chars = setting(
  z.int().min(1_000).max(500_000).nullable().default(null),
  "Most characters of one context file. Left out: 20,000, or more when the window is large.",
);

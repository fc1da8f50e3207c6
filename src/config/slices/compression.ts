import { z } from "zod";

import { setting } from "./setting.ts";

export const compression = setting(
  z.object({
    auto: setting(
      z.enum(["on", "off"]).default("on"),
      "Compact a session automatically when it fills the context window. Off: only `/compress` does.",
      { words: { true: "on", false: "off" } },
    ),
    threshold: setting(
      z.number().min(0.1).max(0.95).default(0.5),
      "Compaction starts at this fraction of the model's window. Windows below 512,000 tokens are used to at least three quarters.",
    ),
    threshold_tokens: setting(
      z.int().min(1_000).nullable().default(null),
      "The same in tokens; the smaller limit applies.",
    ),
    target_ratio: setting(
      z.number().min(0.05).max(0.8).default(0.2),
      "Fraction of the threshold that the last messages, which stay unchanged, may take.",
    ),
    protect_last_n: setting(
      z.int().min(3).max(500).default(20),
      "Maximum number of last messages that stay unchanged.",
    ),
    context_timeout: setting(
      z.number().min(1).max(600).default(120),
      "Seconds to wait for the summarizing model; then Hermes compacts without it.",
    ),
  }),
  "How long sessions stay within the window of their model. The session keeps the original messages.",
);

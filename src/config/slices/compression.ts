import { z } from "zod";

import { setting } from "./setting.ts";

export const compression = setting(
  z.object({
    auto: setting(
      z.enum(["on", "off"]).default("on"),
      "Shorten a conversation by itself when it fills the window. Off: never, `/compress` alone does it.",
      { words: { true: "on", false: "off" } },
    ),
    threshold: setting(
      z.number().min(0.1).max(0.95).default(0.5),
      "Part of the model's window from which on it is shortened. Windows below 512,000 tokens are used to three quarters at least.",
    ),
    threshold_tokens: setting(
      z.int().min(1_000).nullable().default(null),
      "The same in tokens; the smaller one counts.",
    ),
    target_ratio: setting(
      z.number().min(0.05).max(0.8).default(0.2),
      "Part of the threshold that the last messages, which are kept word for word, may take.",
    ),
    protect_last_n: setting(z.int().min(3).max(500).default(20), "Most messages that are kept word for word."),
    context_timeout: setting(
      z.number().min(1).max(600).default(120),
      "Longest wait for the model that sums up, in seconds; then it is done without one.",
    ),
  }),
  "How long conversations are kept within the window of their model. The originals stay in the session.",
);

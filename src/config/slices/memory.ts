import { z } from "zod";

import { setting } from "./setting.ts";

export const memory = setting(
  z.object({
    memory_enabled: setting(z.boolean().default(true), "Keep MEMORY.md: facts about work and machines."),
    user_profile_enabled: setting(z.boolean().default(true), "Keep USER.md: who you are and how you like to work."),
    memory_char_limit: setting(z.int().min(200).max(100_000).default(2_200), "Maximum characters of MEMORY.md."),
    user_char_limit: setting(z.int().min(200).max(100_000).default(1_375), "Maximum characters of USER.md."),
    on_full: setting(
      z.enum(["evict", "refuse"]).default("evict"),
      "If a new entry does not fit: evict moves the oldest entries to the archive (`hermes memory history`), refuse rejects the new one.",
    ),
    write_approval: setting(
      z.boolean().default(false),
      "Changes by the model wait until you approve them (`/memory pending`, `/memory approve ID`).",
    ),
    nudge_interval: setting(
      z.int().min(0).max(1_000).default(10),
      "After this many turns without a memory change, Hermes reviews the session in the background for something to remember. 0: never.",
    ),
    provider: setting(
      z.string().default(""),
      "External memory service: `http`, or the name of a plugin's service. Set by `hermes memory setup`.",
    ),
    http: setting(
      z.object({
        url: setting(z.string().default(""), "Address of the service."),
        key_env: setting(z.string().default(""), "Name of the environment variable with its key."),
        timeout_s: setting(z.number().min(0.1).max(60).default(3), "Timeout in seconds."),
      }),
      "The memory service of `memory.provider: http`.",
    ),
  }),
  "Notes that carry over from one session to the next.",
);

export const learnings = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Remember which fix helped after a failed call, and show it when the same failure happens again.",
    ),
  }),
  "Learning from failures.",
);

export const feedback = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Ask at the terminal how it went after long or hard work. Enter skips the question.",
    ),
    min_tool_calls: setting(
      z.int().min(1).max(10_000).default(20),
      "Number of tool calls after which work counts as long.",
    ),
    min_recovered: setting(
      z.int().min(1).max(1_000).default(4),
      "Number of failed calls after which work counts as hard.",
    ),
    interval_minutes: setting(z.number().min(0).max(525_600).default(120), "Minimum minutes between two questions."),
  }),
  "Questions about how the work went.",
);

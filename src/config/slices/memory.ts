import { z } from "zod";

import { setting } from "./setting.ts";

export const memory = setting(
  z.object({
    memory_enabled: setting(z.boolean().default(true), "Keep MEMORY.md: facts about work and machines."),
    user_profile_enabled: setting(z.boolean().default(true), "Keep USER.md: who you are and how you like to work."),
    memory_char_limit: setting(z.int().min(200).max(100_000).default(2_200), "Most characters of MEMORY.md."),
    user_char_limit: setting(z.int().min(200).max(100_000).default(1_375), "Most characters of USER.md."),
    on_full: setting(
      z.enum(["evict", "refuse"]).default("evict"),
      "When a new entry does not fit: the oldest make room and go to the archive (`hermes memory history`), or it is refused.",
    ),
    write_approval: setting(
      z.boolean().default(false),
      "Changes by the model wait until you approve them (`/memory pending`, `/memory approve ID`).",
    ),
    nudge_interval: setting(
      z.int().min(0).max(1_000).default(10),
      "After so many turns without a change of the memory Hermes looks back, beside the conversation, for something to remember. 0: never.",
    ),
    provider: setting(
      z.string().default(""),
      "A service elsewhere that remembers too: `http`, or the name that a plugin gives it. Set by `hermes memory setup`.",
    ),
    http: setting(
      z.object({
        url: setting(z.string().default(""), "Address of the service."),
        key_env: setting(z.string().default(""), "Name of the variable with its key."),
        timeout_s: setting(z.number().min(0.1).max(60).default(3), "Longest wait for an answer, in seconds."),
      }),
      "The memory service of `memory.provider: http`.",
    ),
  }),
  "What is remembered from one conversation to the next.",
);

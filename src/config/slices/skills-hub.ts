import { z } from "zod";

import { names } from "./names.ts";
import { setting } from "./setting.ts";

const address = (initial: string, about: string) => setting(z.string().default(initial), about);

export const skills_hub = setting(
  z.object({
    taps: setting(
      names(["openai/skills", "anthropics/skills", "huggingface/skills", "NVIDIA/skills", "garrytan/gstack"]),
      "Repositories of GitHub that are searched for skills. `hermes skills tap add` adds more.",
    ),
    marketplaces: setting(
      names(["anthropics/skills", "aiskillstore/marketplace"]),
      "Repositories with a Claude Code marketplace that are searched for skills.",
    ),
    github_api: address("https://api.github.com", "Address of GitHub's API."),
    github_raw: address("https://raw.githubusercontent.com", "Address of GitHub's files."),
    clawhub: address("https://clawhub.ai", "Address of ClawHub."),
    lobehub: address("https://chat-agents.lobehub.com", "Address of LobeHub's agents."),
  }),
  "Where skills of others are found.",
);

export const curator = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Look after skills that the agent made: those that nobody uses go to the archive.",
    ),
    interval_hours: setting(
      z.number().min(1).max(100_000).default(168),
      "Hours between two looks. The first comes after one whole interval.",
    ),
    min_idle_hours: setting(z.number().min(0).max(10_000).default(2), "Hours without a conversation before a look."),
    stale_days: setting(
      z.int().min(1).max(10_000).default(30),
      "Days without use after which a skill counts as stale.",
    ),
    archive_days: setting(
      z.int().min(1).max(10_000).default(90),
      "Days without use after which it is archived; it can be restored.",
    ),
    prune_builtins: setting(z.boolean().default(false), "Archive unused bundled skills too."),
    keep_backups: setting(
      z.int().min(1).max(100).default(5),
      "Backups that are kept; one is made before each look that changes something.",
    ),
  }),
  "Looking after skills.",
);

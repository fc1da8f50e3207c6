import { z } from "zod";

import { names } from "./names.ts";
import { setting } from "./setting.ts";

const address = (initial: string, about: string) => setting(z.string().default(initial), about);

export const skills_hub = setting(
  z.object({
    taps: setting(
      names(["openai/skills", "anthropics/skills", "huggingface/skills", "NVIDIA/skills", "garrytan/gstack"]),
      "GitHub repositories to search for skills. `hermes skills tap add` adds more.",
    ),
    marketplaces: setting(
      names(["anthropics/skills", "aiskillstore/marketplace"]),
      "Repositories with a Claude Code marketplace to search for skills.",
    ),
    github_api: address("https://api.github.com", "Address of GitHub's API."),
    github_raw: address("https://raw.githubusercontent.com", "Address of GitHub's files."),
    clawhub: address("https://clawhub.ai", "Address of ClawHub."),
    lobehub: address("https://chat-agents.lobehub.com", "Address of LobeHub's agents."),
  }),
  "Where to find skills from others.",
);

export const curator = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Maintain skills that the agent created: unused ones move to the archive.",
    ),
    interval_hours: setting(
      z.number().min(1).max(100_000).default(168),
      "Hours between two runs. The first run comes after one full interval.",
    ),
    min_idle_hours: setting(z.number().min(0).max(10_000).default(2), "Hours without a session before a run."),
    stale_days: setting(
      z.int().min(1).max(10_000).default(30),
      "Days without use after which a skill counts as stale.",
    ),
    archive_days: setting(
      z.int().min(1).max(10_000).default(90),
      "Days without use after which a skill is archived; you can restore it.",
    ),
    prune_builtins: setting(z.boolean().default(false), "Archive unused bundled skills too."),
    keep_backups: setting(
      z.int().min(1).max(100).default(5),
      "Number of backups to keep; each run that changes something creates one first.",
    ),
  }),
  "Maintenance of skills.",
);

import { z } from "zod";

import { anyJson } from "./anything.ts";
import { name, names } from "./names.ts";
import { setting } from "./setting.ts";

export const skills = setting(
  z.object({
    index_chars: setting(
      z.int().min(0).max(20_000).default(360),
      "Maximum characters of the skill list in the system prompt. 0: no list; the model uses skills_list.",
      { project: "lower" },
    ),
    disabled: setting(names(), "Skills not to offer.", { project: "grow" }),
    platform_disabled: setting(
      z.record(z.string(), setting(z.array(name), "Skills for this platform.")),
      "Skills not to offer on one platform, by its name (cli, telegram).",
    ),
    external_dirs: setting(
      z.array(z.string().min(1).max(4_096)).default([]),
      "Additional folders with skills, read-only.",
    ),
    project: setting(
      z.boolean().default(true),
      "Use the skills in .hermes/skills and .agents/skills of a trusted project.",
      { project: "false" },
    ),
    inline_shell: setting(
      z.boolean().default(false),
      "Run the commands that a skill contains as !`command` when it is viewed, if the policy allows them.",
      { safety: true },
    ),
    inline_shell_timeout: setting(z.int().min(1).max(120).default(10), "Timeout of one such command in seconds."),
    write_approval: setting(
      z.boolean().default(false),
      "Every change that the agent makes to a skill waits for your approval, even a change of its own skills.",
      { project: "true" },
    ),
    creation_nudge_interval: setting(
      z.int().min(0).max(10_000).default(10),
      "After this many tool calls without a skill change, Hermes reviews the session in the background for a skill worth saving. 0: never.",
    ),
    history_keep: setting(z.int().min(5).max(10_000).default(100), "Number of changes per skill that you can undo."),
    config: setting(
      z.record(z.string(), setting(anyJson, "Its value.")),
      "Values for skills, by the key that they name.",
    ),
  }),
  "Skills: instructions that the agent loads when a task needs them.",
);

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
    skills_sh: address("https://skills.sh", "Address of skills.sh."),
    browse_sh: address("https://browse.sh", "Address of browse.sh."),
    official: setting(
      z.string().max(400).default("NousResearch/hermes-agent/optional-skills"),
      "The folder with the optional skills of Hermes, as owner/repository/folder. Empty: none.",
    ),
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
      "Hours between two runs. The first run happens after one full interval.",
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

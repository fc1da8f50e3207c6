import { z } from "zod";

import { anything } from "./anything.ts";
import { name, names } from "./names.ts";
import { setting } from "./setting.ts";

export const skills = setting(
  z.object({
    index_chars: setting(
      z.int().min(0).max(20_000).default(360),
      "Most characters that the list of skills takes in the system prompt. 0: none; skills are found with skills_list.",
      { project: "lower" },
    ),
    disabled: setting(names(), "Skills that are not offered.", { project: "grow" }),
    platform_disabled: setting(
      z.record(z.string(), setting(z.array(name), "Skills for this platform.")),
      "Skills that are not offered on one platform, by its name (cli, telegram).",
    ),
    external_dirs: setting(
      z.array(z.string().min(1).max(4_096)).default([]),
      "More folders with skills; they are read and never changed.",
    ),
    project: setting(
      z.boolean().default(true),
      "Use the skills in .hermes/skills and .agents/skills of a trusted project.",
      { project: "false" },
    ),
    inline_shell: setting(
      z.boolean().default(false),
      "Run commands that stand in a skill as !`command` when it is viewed, as far as the policy allows them.",
      { safety: true },
    ),
    inline_shell_timeout: setting(z.int().min(1).max(120).default(10), "Seconds that one such command may take."),
    write_approval: setting(
      z.boolean().default(false),
      "Everything the agent changes about skills waits for a person, its own skills included.",
      { project: "true" },
    ),
    creation_nudge_interval: setting(
      z.int().min(0).max(10_000).default(10),
      "After so many tool calls without a change of a skill Hermes looks back, beside the conversation, for a way worth keeping. 0: never.",
    ),
    history_keep: setting(z.int().min(5).max(10_000).default(100), "Changes of one skill that can be taken back."),
    config: setting(
      z.record(z.string(), setting(anything, "Its value.")),
      "Values that skills ask for, by the key that they name.",
    ),
  }),
  "Skills: instructions that the agent loads when a task calls for them.",
);

import { z } from "zod";

import { reasoningEfforts } from "../../contracts/model/model.ts";
import { names } from "./names.ts";
import { setting } from "./setting.ts";

export const agent = setting(
  z.object({
    max_turns: setting(
      z.number().int().min(1).default(500),
      "Most model calls in one turn, without what had to be asked again; then the model sums up.",
      {
        env: "HERMES_MAX_TURNS",
        project: "lower",
      },
    ),
    api_max_retries: setting(
      z.int().min(0).max(20).default(3),
      "How often a model call that failed is tried again before another model is asked.",
    ),
    reasoning_effort: setting(
      z.enum(["auto", "none", ...reasoningEfforts, "max", "ultra"]).default("auto"),
      "How much the model thinks before it answers. auto: as the provider has it; max and ultra: xhigh.",
      { words: { false: "off" } },
    ),
    system_prompt: setting(z.string().max(100_000).default(""), "What every conversation is told beside SOUL.md."),
    verify_on_stop: setting(
      z.boolean().default(false),
      "When code was changed and nothing was run that checks it, the model is asked to do so before it ends.",
    ),
    save_trajectories: setting(
      z.boolean().default(false),
      "Append every session, when it is left, to trajectories/ in the home folder, as ShareGPT lines for training.",
    ),
    disabled_toolsets: setting(names(), "Toolsets taken away from every selection.", { project: "grow", safety: true }),
  }),
  "The agent itself.",
);

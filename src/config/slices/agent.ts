import { z } from "zod";

import { reasoningEfforts } from "../../contracts/model/model.ts";
import { names } from "./names.ts";
import { setting } from "./setting.ts";

export const agent = setting(
  z.object({
    max_turns: setting(
      z.number().int().min(1).default(500),
      "Maximum model calls in one turn, not counting retries; then the model summarizes.",
      {
        env: "HERMES_MAX_TURNS",
        project: "lower",
      },
    ),
    api_max_retries: setting(
      z.int().min(0).max(20).default(3),
      "How often Hermes retries a failed model call before it uses a fallback.",
    ),
    reasoning_effort: setting(
      z.enum(["auto", "none", ...reasoningEfforts, "max", "ultra"]).default("auto"),
      "Reasoning effort of the model. auto: the provider's default; max and ultra: xhigh.",
      { words: { false: "off" } },
    ),
    system_prompt: setting(
      z.string().max(100_000).default(""),
      "Text added to the system prompt of every session, in addition to SOUL.md.",
    ),
    verify_on_stop: setting(
      z.boolean().default(false),
      "If the model changed code and ran no check, ask it to run one before the turn ends.",
    ),
    save_trajectories: setting(
      z.boolean().default(false),
      "Append every closed session to trajectories/ in the home folder, as ShareGPT lines for training.",
    ),
    disabled_toolsets: setting(names(), "Toolsets removed from every selection.", { project: "grow", safety: true }),
  }),
  "The agent.",
);

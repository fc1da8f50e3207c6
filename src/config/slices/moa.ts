import { z } from "zod";

import { anything } from "./anything.ts";
import { name } from "./names.ts";
import { setting, type SettingRules } from "./setting.ts";

/** Hermes never guesses who receives the conversation: an invalid value stops the start. */
const chosen: SettingRules = { safety: true };
const word = z.string().min(1).max(400);
const temperature = (initial: number, about: string) => setting(z.number().min(0).max(2).default(initial), about);

export const moa = setting(
  z.object({
    default_preset: setting(name.default("default"), "The preset for `/moa` and for `moa` without a name."),
    presets: setting(
      z.record(
        name,
        z.object({
          reference_models: setting(
            z
              .array(z.object({ provider: word, model: word }).catchall(anything))
              .min(1)
              .default([
                { provider: "openai-codex", model: "gpt-5.5" },
                { provider: "openrouter", model: "deepseek/deepseek-v4-pro" },
              ]),
            "Models that Hermes asks first, in parallel and without tools.",
            chosen,
          ),
          aggregator: setting(
            z.object({
              provider: setting(word.default("openrouter"), "Its provider.", chosen),
              model: setting(word.default("anthropic/claude-opus-4.8"), "Its name there.", chosen),
            }),
            "The model that answers, with all tools and the answers of the references.",
          ),
          reference_temperature: temperature(0.6, "Temperature of the references."),
          aggregator_temperature: temperature(0.4, "Temperature of the aggregator."),
          max_tokens: setting(z.int().min(16).max(1_000_000).default(4_096), "Maximum tokens of a reference's answer."),
          enabled: setting(z.boolean().default(true), "Ask the references. false: only the aggregator answers."),
        }),
      ),
      "Mixtures by name, each a model `moa/NAME`. Missing values come from `default`. See `hermes moa`.",
      { always: ["default"] },
    ),
    reference_timeout: setting(
      z.number().min(1).max(86_400).default(900),
      "Seconds until Hermes skips a reference that has not answered.",
    ),
    save_traces: setting(
      z.boolean().default(false),
      "Store answers, failures, times and usage of the references in moa-traces/, one file per session.",
    ),
    privacy_filter: setting(
      z.enum(["", "display", "full"]).default(""),
      "display: hide the references' answers. full: also remove secrets from their requests and answers.",
    ),
  }),
  "Mixtures of agents: Hermes asks several models, and one answers with their help.",
);

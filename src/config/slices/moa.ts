import { z } from "zod";

import { anything } from "./anything.ts";
import { name } from "./names.ts";
import { setting, type SettingRules } from "./setting.ts";

/** Who gets the conversation is never guessed: a bad value stops the start. */
const chosen: SettingRules = { safety: true };
const word = z.string().min(1).max(400);
const temperature = (initial: number, about: string) => setting(z.number().min(0).max(2).default(initial), about);

export const moa = setting(
  z.object({
    default_preset: setting(name.default("default"), "The preset that `/moa` and the bare `moa` mean."),
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
            "Models that are asked first, side by side and without tools.",
            chosen,
          ),
          aggregator: setting(
            z.object({
              provider: setting(word.default("openrouter"), "Its provider.", chosen),
              model: setting(word.default("anthropic/claude-opus-4.8"), "Its name there.", chosen),
            }),
            "The model that answers, with what the others said and with all tools.",
          ),
          reference_temperature: temperature(0.6, "How freely the references answer."),
          aggregator_temperature: temperature(0.4, "How freely the aggregator answers."),
          max_tokens: setting(z.int().min(16).max(1_000_000).default(4_096), "Most tokens that a reference answers."),
          enabled: setting(z.boolean().default(true), "Whether the references are asked. false: the aggregator alone."),
        }),
      ),
      "Mixtures by name, each a model `moa/NAME`. What one leaves out is as in `default`. See `hermes moa`.",
      { always: ["default"] },
    ),
    reference_timeout: setting(
      z.number().min(1).max(86_400).default(900),
      "Seconds until a reference that has not answered is left out.",
    ),
    save_traces: setting(
      z.boolean().default(false),
      "Whether answers, failures, times and usage of the references are kept in moa-traces/, a file a session.",
    ),
    privacy_filter: setting(
      z.enum(["", "display", "full"]).default(""),
      "display: what references say is not shown. full: besides, secrets are taken out of what they are told and of what they say.",
    ),
  }),
  "Mixtures of agents: several models are asked, and one makes an answer of it.",
);

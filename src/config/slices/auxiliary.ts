import { z } from "zod";

import { anything } from "./anything.ts";
import { setting } from "./setting.ts";

const text = (about: string, env?: string) =>
  setting(z.string().max(4_096).default(""), about, env === undefined ? {} : { env });

/** `env`: how the names of its variables begin. */
const slot = (timeout: number, env?: string) => ({
  provider: setting(
    z.string().max(200).default("auto"),
    "auto: the main model, for short tasks a cheap one of the same provider. main: the main model. Or a provider.",
    env === undefined ? {} : { env: `${env}_PROVIDER` },
  ),
  model: text("The model; empty: the provider's usual one.", env && `${env}_MODEL`),
  base_url: text("A server of your own, in place of the provider.", env && `${env}_BASE_URL`),
  api_key: text("Its key; better: key_env.", env && `${env}_API_KEY`),
  key_env: text("Name of the variable with its key."),
  timeout: setting(z.number().min(1).max(86_400).default(timeout), "Seconds until it is given up."),
  extra_body: setting(z.record(z.string(), setting(anything, "Its value.")), "Fields that are added to every request."),
});

const task = (about: string, timeout: number, env?: string) => setting(z.object(slot(timeout, env)), about);

export const auxiliary = setting(
  z.object({
    transient_retries: setting(z.int().min(0).max(6).default(2), "How often a passing failure is tried again."),
    compression: task("Summaries of long conversations.", 120),
    title_generation: setting(
      z.object({
        enabled: setting(z.boolean().default(true), "Whether sessions get a title after their first answer."),
        language: text("The language of titles. Empty: that of the conversation."),
        ...slot(30),
      }),
      "Titles of sessions.",
    ),
    vision: task("Descriptions of pictures, for models that see none.", 120, "AUXILIARY_VISION"),
    web_extract: task("Summaries of web pages.", 360, "AUXILIARY_WEB_EXTRACT"),
    approval: task("Judging commands in the smart approval mode.", 30),
    session_search: task("Summaries of old sessions.", 60),
    skills_hub: task("Judging skills.", 30),
    mcp: task("Questions of MCP servers.", 30),
    background_review: task("Looking back at a conversation.", 300),
    goal_judge: task("Judging whether a goal is reached.", 60),
    profile_describer: task("Describing a profile.", 60),
    curator: task("Tidying skills.", 600),
  }),
  "Small tasks beside the conversation, each with a model of its own if you like.",
);

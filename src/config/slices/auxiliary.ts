import { z } from "zod";

import { anyJson } from "./anything.ts";
import { setting } from "./setting.ts";

const text = (about: string, env?: string) =>
  setting(z.string().max(4_096).default(""), about, env === undefined ? {} : { env });

/** `env`: prefix of its environment variables. */
const slot = (timeout: number, env?: string) => ({
  provider: setting(
    z.string().max(200).default("auto"),
    "auto: the main model, for short tasks a cheap model of the same provider. main: the main model. Or a provider.",
    env === undefined ? {} : { env: `${env}_PROVIDER` },
  ),
  model: text("The model. Empty: the provider's default.", env && `${env}_MODEL`),
  base_url: text("Address of your own server, instead of the provider.", env && `${env}_BASE_URL`),
  api_key: text("Its key; key_env is safer.", env && `${env}_API_KEY`),
  key_env: text("Name of the environment variable with its key."),
  timeout: setting(z.number().min(1).max(86_400).default(timeout), "Timeout in seconds."),
  extra_body: setting(z.record(z.string(), setting(anyJson, "Its value.")), "Fields added to every request."),
});

const task = (about: string, timeout: number, env?: string) => setting(z.object(slot(timeout, env)), about);

const builtinTasks = z.object({
  transient_retries: setting(z.int().min(0).max(6).default(2), "How often Hermes retries a transient failure."),
  compression: task("Summaries of long sessions.", 120),
  title_generation: setting(
    z.object({
      enabled: setting(z.boolean().default(true), "Give sessions a title after their first answer."),
      language: text("Language of titles. Empty: the language of the session."),
      ...slot(30),
    }),
    "Titles of sessions.",
  ),
  vision: setting(
    z.object({
      download_timeout: setting(
        z.number().min(1).max(3_600).default(30),
        "Seconds for the download of an image or a video.",
      ),
      ...slot(120, "AUXILIARY_VISION"),
    }),
    "Descriptions of images, for models that cannot see them. auto: a model of the same provider that can.",
  ),
  web_extract: task(
    "Answers to the `question` of `web_extract`, if a provider or model is set here.",
    360,
    "AUXILIARY_WEB_EXTRACT",
  ),
  approval: task("Review of commands in the smart approval mode.", 30),
  session_search: task("Summaries of old sessions.", 60),
  skills_hub: task("Review of skills.", 30),
  mcp: task("Requests from MCP servers.", 30),
  background_review: task("Background review of a session.", 300),
  goal_judge: task("Deciding whether a goal is reached.", 30),
  profile_describer: task("Description of a profile.", 60),
  curator: task("Maintenance of skills.", 600),
});

export const auxiliary = setting(
  // Other names are tasks of plugins; code that reads a known task does not see them.
  builtinTasks.catchall(task("A task of a plugin, by its key.", 60)) as unknown as typeof builtinTasks,
  "Auxiliary tasks outside the conversation. Each can use its own model.",
);

import { z } from "zod";

import { anyJson } from "./anything.ts";
import { name, names } from "./names.ts";
import { setting } from "./setting.ts";

const grant = (about: string) => setting(z.boolean().default(false), about, { safety: true });
const list = (about: string) => setting(names(), about, { safety: true });

const llm = setting(
  z.object({
    allow_provider_override: grant("The plugin may choose the provider of its model requests."),
    allowed_providers: list("Providers that the plugin may choose. Empty: every configured one."),
    allow_model_override: grant("The plugin may choose the model of its requests."),
    allowed_models: list("Models that the plugin may choose. Empty: every model."),
    allow_agent_id_override: grant("The plugin may choose the agent to which its requests are attributed."),
    allow_profile_override: grant("The plugin may choose the profile whose credentials its requests use."),
    allow_task_override: grant("The plugin may choose the task, which selects an auxiliary model."),
  }),
  "What the plugin may choose when it uses a model with your credentials.",
);

const entry = setting(
  z.object({
    allow_tool_override: grant("Let this plugin replace tools of others."),
    grants: setting(
      z.array(z.string().min(1).max(1_000)).default([]),
      "Permissions beyond those in its manifest: `net:api.example.com`, `read:~/notes`, `write:…`, `env:NAME`, `tools:NAME`, `exec`.",
      { safety: true },
    ),
    unconfined: grant("Run this Python plugin without a sandbox if this machine has none."),
    in_process: grant("Load this TypeScript plugin into the process of Hermes, without a sandbox."),
    options: setting(z.record(z.string(), setting(anyJson, "Its value.")), "Options that the plugin receives."),
    llm,
  }),
  "One plugin, by its id.",
);

export const plugins = setting(
  z.object({
    enabled: list("Plugins to load, by key or name."),
    disabled: list("Plugins never to load, even if enabled."),
    direct_bytes: setting(
      z.int().min(0).max(1_000_000).default(2_048),
      "The tool schemas of whole plugins are sent with every request as long as all of them together have at most this many bytes; smaller plugins first. The model finds the others by search.",
    ),
    max_memory_mb: setting(z.int().min(64).max(1_000_000).default(1_024), "Memory limit of one plugin's process.", {
      safety: true,
    }),
    max_data_mb: setting(
      z.int().min(1).max(100_000_000).default(1_024),
      "Limit of a plugin's data folder and temporary files. A plugin that exceeds it is ended.",
      { safety: true },
    ),
    idle_s: setting(
      z.int().min(1).max(86_400).default(300),
      "Seconds without work after which a plugin's process ends.",
    ),
    entries: setting(z.record(name, entry), "Permissions and options of single plugins."),
  }),
  "Plugins. A project file cannot change them. `entries.user` applies to your own tools folder.",
);

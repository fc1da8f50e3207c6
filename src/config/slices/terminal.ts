import { z } from "zod";

import { containers, docker, hosted, singularity } from "./containers.ts";
import { setting } from "./setting.ts";

const path = (initial = "") => z.string().max(4_096).default(initial);

export const terminal = setting(
  z.object({
    backend: setting(
      z
        .enum(["local", "docker", "ssh", "singularity", "modal", "daytona", "plugin", "vercel_sandbox"])
        .default("local"),
      "Where commands run. Fixed for a session: if the backend cannot be reached, the call fails and no command runs elsewhere. vercel_sandbox is not supported.",
      { env: "TERMINAL_ENV", safety: true },
    ),
    plugin_environment: setting(
      z.string().max(128).default(""),
      "The environment of a plugin where commands run if `terminal.backend` is `plugin`.",
      { safety: true },
    ),
    cwd: setting(
      path(),
      "Start folder of commands. Empty, `.`, `auto` and `cwd`: where Hermes was started; on other backends their default (ssh ~, containers /root).",
      { env: "TERMINAL_CWD" },
    ),
    timeout: setting(z.number().min(1).max(86_400).default(180), "Default timeout of a command in seconds.", {
      env: "TERMINAL_TIMEOUT",
      project: "allow",
    }),
    max_foreground_timeout: setting(
      z.number().min(1).max(86_400).default(600),
      "Maximum timeout in seconds that a call may request; longer work belongs in the background.",
      { env: "TERMINAL_MAX_FOREGROUND_TIMEOUT", project: "lower" },
    ),
    lifetime_seconds: setting(
      z.number().min(10).max(604_800).default(300),
      "Seconds without use after which a container stops itself.",
      { env: "TERMINAL_LIFETIME_SECONDS" },
    ),
    env_passthrough: setting(
      z.array(z.string().min(1).max(1_000)).default([]),
      "Names of environment variables that commands may see although they contain keys or tokens.",
      { safety: true },
    ),
    credential_files: setting(
      z.array(z.string().min(1).max(4_096)).default([]),
      "Files in the home that commands on other backends may read, by their path relative to the home.",
      { safety: true },
    ),
    shell_init_files: setting(
      z.array(z.string().min(1).max(4_096)).default([]),
      "Files that the shell reads before the first command. Empty: the default, such as ~/.bashrc.",
    ),
    auto_source_bashrc: setting(
      z.boolean().default(true),
      "Read the default start-up file of your shell if shell_init_files is empty.",
    ),
    sandbox_dir: setting(path(), "Folder for persistent container files. Empty: `sandboxes` in the home.", {
      env: "TERMINAL_SANDBOX_DIR",
    }),
    ssh_host: setting(z.string().max(255).default(""), "Host for the ssh backend.", { env: "TERMINAL_SSH_HOST" }),
    ssh_user: setting(z.string().max(255).default(""), "Remote user. Empty: ssh's default.", {
      env: "TERMINAL_SSH_USER",
    }),
    ssh_port: setting(z.int().min(1).max(65_535).default(22), "Remote port.", { env: "TERMINAL_SSH_PORT" }),
    ssh_key: setting(path(), "Private key file. Empty: ssh's default keys.", { env: "TERMINAL_SSH_KEY" }),
    ssh_host_keys: setting(
      z.enum(["accept-new", "strict"]).default("accept-new"),
      "Accept and remember an unknown host key, or reject it. A changed key is always rejected.",
      { env: "TERMINAL_SSH_HOST_KEYS", safety: true },
    ),
    ssh_known_hosts: setting(path(), "File of known host keys. Empty: ssh's default files.", {
      env: "TERMINAL_SSH_KNOWN_HOSTS",
      safety: true,
    }),
    ...containers,
    ...docker,
    ...singularity,
    ...hosted,
  }),
  "Where and how commands run.",
);

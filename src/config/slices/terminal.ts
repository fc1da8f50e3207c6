import { z } from "zod";

import { containers, docker, hosted, singularity } from "./containers.ts";
import { setting } from "./setting.ts";

const path = (initial = "") => z.string().max(4_096).default(initial);

export const terminal = setting(
  z.object({
    backend: setting(
      z.enum(["local", "docker", "ssh", "singularity", "modal", "daytona", "vercel_sandbox"]).default("local"),
      "Where commands run. It is fixed for a session: a backend that cannot be reached fails, nothing runs elsewhere. vercel_sandbox is not offered.",
      { env: "TERMINAL_ENV", safety: true },
    ),
    cwd: setting(
      path(),
      "Folder that commands start in. Empty, `.`, `auto` and `cwd`: where Hermes was started; elsewhere the backend's own (ssh ~, containers /root).",
      { env: "TERMINAL_CWD" },
    ),
    timeout: setting(
      z.number().min(1).max(86_400).default(180),
      "Seconds a command may run when the call does not say.",
      { env: "TERMINAL_TIMEOUT", project: "allow" },
    ),
    max_foreground_timeout: setting(
      z.number().min(1).max(86_400).default(600),
      "Seconds that a call may ask for at most; longer work goes to the background.",
      { env: "TERMINAL_MAX_FOREGROUND_TIMEOUT", project: "lower" },
    ),
    lifetime_seconds: setting(
      z.number().min(10).max(604_800).default(300),
      "Seconds without use after which a container ends itself.",
      { env: "TERMINAL_LIFETIME_SECONDS" },
    ),
    env_passthrough: setting(
      z.array(z.string().min(1).max(1_000)).default([]),
      "Names of variables that commands may see although they hold keys or tokens.",
      { safety: true },
    ),
    credential_files: setting(
      z.array(z.string().min(1).max(4_096)).default([]),
      "Files of the home that commands on other backends may read, by their path below the home.",
      { safety: true },
    ),
    shell_init_files: setting(
      z.array(z.string().min(1).max(4_096)).default([]),
      "Files that a login shell reads before the first command. None: the usual one, such as ~/.bashrc.",
    ),
    auto_source_bashrc: setting(
      z.boolean().default(true),
      "Read the usual start-up file of your shell when shell_init_files names none.",
    ),
    sandbox_dir: setting(path(), "Folder for what containers keep. Empty: `sandboxes` in the home.", {
      env: "TERMINAL_SANDBOX_DIR",
    }),
    ssh_host: setting(z.string().max(255).default(""), "Host for the ssh backend.", { env: "TERMINAL_SSH_HOST" }),
    ssh_user: setting(z.string().max(255).default(""), "User there. Empty: as ssh would choose.", {
      env: "TERMINAL_SSH_USER",
    }),
    ssh_port: setting(z.int().min(1).max(65_535).default(22), "Port there.", { env: "TERMINAL_SSH_PORT" }),
    ssh_key: setting(path(), "Private key file. Empty: the keys ssh would offer.", { env: "TERMINAL_SSH_KEY" }),
    ssh_host_keys: setting(
      z.enum(["accept-new", "strict"]).default("accept-new"),
      "An unknown host key is accepted and remembered, or refused. A changed one is always refused.",
      { env: "TERMINAL_SSH_HOST_KEYS", safety: true },
    ),
    ssh_known_hosts: setting(path(), "File of known host keys. Empty: the usual ones of ssh.", {
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

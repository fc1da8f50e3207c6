import { z } from "zod";

import { setting } from "./setting.ts";

export const terminal = setting(
  z.object({
    backend: setting(
      z.enum(["local", "docker", "ssh", "singularity", "modal", "daytona", "vercel_sandbox"]).default("local"),
      "Where commands run. This version has local; with another one named here commands are refused, never run elsewhere.",
      { env: "TERMINAL_ENV", safety: true },
    ),
    cwd: setting(
      z.string().max(4_096).default(""),
      "Folder that commands start in. Empty, `.`, `auto` and `cwd` mean the folder Hermes was started in.",
      { env: "TERMINAL_CWD" },
    ),
    timeout: setting(
      z.number().min(1).max(86_400).default(180),
      "Seconds a command may run when the call does not say.",
      { env: "TERMINAL_TIMEOUT", project: "allow" },
    ),
    env_passthrough: setting(
      z.array(z.string().min(1).max(1_000)).default([]),
      "Names of variables that commands may see although they hold keys or tokens.",
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
  }),
  "Where and how commands run.",
);

import { z } from "zod";

import { setting } from "./setting.ts";

export const code_execution = setting(
  z.object({
    mode: setting(
      z.enum(["project", "strict"]).default("project"),
      "project: scripts start in the folder of the session, can read the workspace and use its Python environment. strict: scripts see only a temporary folder and use the Python of the system.",
      { project: ["strict", "project"], safety: true },
    ),
    timeout: setting(
      z.number().min(1).max(86_400).default(300),
      "Seconds that a script may run. Time in which a person answers a question does not count. A script never runs beyond `tools.timeout_s`.",
      { project: "lower" },
    ),
    max_tool_calls: setting(z.int().min(0).max(1_000).default(50), "Tool calls that one script may make.", {
      project: "lower",
    }),
    max_memory_mb: setting(
      z.int().min(64).max(1_000_000).default(1_024),
      "Memory limit of a script with all programs that it starts.",
      { project: "lower", safety: true },
    ),
    max_processes: setting(
      z.int().min(1).max(10_000).default(64),
      "Processes that a script may have at the same time.",
      { project: "lower", safety: true },
    ),
    max_disk_mb: setting(
      z.int().min(1).max(1_000_000).default(256),
      "Limit of the files in the temporary folder of a script.",
      { project: "lower", safety: true },
    ),
    kernel_idle_s: setting(
      z.int().min(1).max(86_400).default(1_800),
      "Seconds without a script after which a kernel, which keeps variables between scripts, ends.",
      { project: "lower" },
    ),
  }),
  "Scripts that call tools (`execute_code`).",
);

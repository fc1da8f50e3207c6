import { z } from "zod";

import { anyJson } from "./anything.ts";
import { name } from "./names.ts";
import { setting } from "./setting.ts";

export const hooks = setting(
  z.record(
    name,
    setting(
      z
        .array(
          z
            .object({
              matcher: z.string().max(1_000).optional(),
              command: z.string().max(4_000).optional(),
              timeout: z.number().min(1).max(300).optional(),
              policy: z.boolean().optional(),
            })
            .catchall(anyJson),
        )
        .default([]),
      "The programs of one event, by its name: `command` (no shell), `timeout` in seconds (60, at most 300), `matcher` (regular expression for the whole name of the tool), `policy: false` for a pre_tool_call that may fail without blocking.",
    ),
  ),
  "Your own programs that run at hooks: see docs/guide/hooks.md. Each needs your consent, which covers the exact script. A pre_tool_call that fails blocks the call.",
  { safety: true },
);

export const hooks_auto_accept = setting(
  z.boolean().default(false),
  "Accept new and changed shell hooks without asking. The same for one run: --accept-hooks.",
  { env: "HERMES_ACCEPT_HOOKS", safety: true },
);

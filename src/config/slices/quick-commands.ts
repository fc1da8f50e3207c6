import { z } from "zod";

import { setting } from "./setting.ts";

export const quick_commands = setting(
  z.record(
    z.string(),
    setting(
      z.object({
        type: setting(
          z.enum(["exec", "alias"]).default("exec"),
          "exec: run `command`, at most 30 seconds; alias: run the slash command `target`.",
        ),
        command: setting(
          z.string().max(10_000).default(""),
          "A command line. Approvals apply to it as to commands of the agent.",
        ),
        target: setting(z.string().max(10_000).default(""), "A slash command with arguments: `/model fast`."),
      }),
      "A quick command. A plain text is its `command`.",
      { shorthand: "command" },
    ),
  ),
  "Your own slash commands, by name. They call no model. Built-in commands win on a name clash.",
);

import { z } from "zod";

import { name, names } from "./names.ts";
import { setting } from "./setting.ts";

export const plugins = setting(
  z.object({
    enabled: setting(names(), "Plugins to load."),
    disabled: setting(names(), "Plugins never to load, even if enabled.", { safety: true }),
    entries: setting(
      z.record(
        name,
        setting(
          z.object({
            allow_tool_override: setting(z.boolean().default(false), "Let this plugin replace tools of others.", {
              safety: true,
            }),
          }),
          "One plugin, by its id.",
        ),
      ),
      "Permissions of single plugins.",
    ),
  }),
  "Plugins. A project file cannot change them. This version loads no plugins; `entries.user` applies to your own tools folder.",
);

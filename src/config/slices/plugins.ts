import { z } from "zod";

import { name, names } from "./names.ts";
import { setting } from "./setting.ts";

export const plugins = setting(
  z.object({
    enabled: setting(names(), "Plugins that are loaded."),
    disabled: setting(names(), "Plugins that are never loaded, also when enabled.", { safety: true }),
    entries: setting(
      z.record(
        name,
        setting(
          z.object({
            allow_tool_override: setting(
              z.boolean().default(false),
              "Let this plugin replace tools that others registered.",
              { safety: true },
            ),
          }),
          "One plugin, by its id.",
        ),
      ),
      "What single plugins are granted.",
    ),
  }),
  "Plugins. A project file cannot change them. This version loads no plugins; `entries.user` speaks of your own tools folder.",
);

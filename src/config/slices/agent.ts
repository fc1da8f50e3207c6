import { z } from "zod";

import { names } from "./names.ts";
import { setting } from "./setting.ts";

export const agent = setting(
  z.object({
    disabled_toolsets: setting(names(), "Toolsets taken away from every selection.", { project: "grow", safety: true }),
  }),
  "The agent itself.",
);

import { z } from "zod";

import { setting } from "./setting.ts";

export const goals = setting(
  z.object({
    max_turns: setting(
      z.int().min(1).max(1_000).default(20),
      "Turns that a goal may use before it pauses. /goal resume resets the count.",
      { project: "lower" },
    ),
  }),
  "Goals that a session works towards, turn after turn.",
);

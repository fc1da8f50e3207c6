import { z } from "zod";

import { setting } from "./setting.ts";

export const sessions = setting(
  z.object({
    record: setting(
      z.boolean().default(false),
      "Record every session with the model's answers and the tools' results, for hermes replay. Secrets are taken out.",
    ),
  }),
  "Conversations and what is kept of them.",
);

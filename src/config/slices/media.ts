import { z } from "zod";

import { setting } from "./setting.ts";

export const vision = setting(
  z.object({
    max_side: setting(
      z.int().min(0).max(7_900).default(0),
      "Maximum pixels of the longer side of an image that is sent to a model. 0: as many as the model sees (1568 to 3072).",
    ),
  }),
  "Images that models look at. The model that describes them for others: `auxiliary.vision`.",
);

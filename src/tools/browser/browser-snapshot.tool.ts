import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_snapshot",
  toolset: "browser",
  description:
    "Read the open page again. Compact: elements that can be used, headings, short texts, the first items of lists. " +
    "full: everything. ref with offset: one part in full, such as a list from its 20th item. After an action its result " +
    "has the changes already.",
  emoji: "📸",
  input: z.object({
    full: z.boolean().default(false),
    ref: z.string().optional().describe("Only this part, such as @e12"),
    offset: z.number().int().min(0).optional().describe("From this item or row of it"),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true, callers: "both" },
  effects: (_, place) => readsPage(place),
  run: ({ full, ref, offset }, ctx) =>
    askBrowser(
      { do: "snapshot", isFull: full, ...(ref !== undefined && { ref }), ...(offset !== undefined && { offset }) },
      ctx,
    ),
});

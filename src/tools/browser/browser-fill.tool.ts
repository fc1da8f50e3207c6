import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits, refWords } from "./browser-call.ts";
import { sendsToPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_fill",
  toolset: "browser",
  description:
    "Fill a whole form of the open page: fields maps references to values. Texts, selects (the option's label), " +
    "checkboxes and radios (true or false), dates (2026-12-31), ranges and colors. submit clicks a button after it.",
  emoji: "📝",
  input: z.object({
    fields: z
      .record(z.string(), z.union([z.string(), z.boolean(), z.number(), z.array(z.string())]))
      .describe('Such as {"@e3": "Ann", "@e4": true}'),
    submit: z.string().optional().describe(refWords),
  }),
  needs: ["browser"],
  traits: { ...pageTraits },
  effects: ({ fields, submit = [] }, place) => sendsToPage(place, { refs: [Object.keys(fields), submit].flat() }),
  run({ fields, submit }, ctx) {
    const list = Object.entries(fields).map(([ref, value]) => ({
      ref,
      value: typeof value === "number" ? String(value) : value,
    }));
    return askBrowser({ do: "fill", fields: list, ...(submit !== undefined && { submit }) }, ctx);
  },
});

import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits, refWords } from "./browser-call.ts";
import { sendsToPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_click",
  toolset: "browser",
  description: "Click an element of the open page. Returns what changed, or the new page.",
  emoji: "👆",
  input: z.object({
    ref: z.string().min(1).describe(refWords),
    double: z.boolean().default(false),
    right: z.boolean().default(false),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, callers: "both" },
  effects: ({ ref }, place) => sendsToPage(place, { refs: [ref] }),
  run: ({ ref, double, right }, ctx) => askBrowser({ do: "click", ref, isDouble: double, isRight: right }, ctx),
});

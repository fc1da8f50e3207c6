import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits, refWords } from "./browser-call.ts";
import { sendsToPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_type",
  toolset: "browser",
  description:
    "Type text into a field of the open page, replacing what it holds. submit presses Enter after it. browser_fill fills several fields at once.",
  emoji: "⌨️",
  input: z.object({
    ref: z.string().min(1).describe(refWords),
    text: z.string(),
    submit: z.boolean().default(false),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, callers: "both" },
  effects: ({ ref }, place) => sendsToPage(place, { refs: [ref] }),
  run: ({ ref, text, submit }, ctx) => askBrowser({ do: "type", ref, text, isSubmitted: submit }, ctx),
});

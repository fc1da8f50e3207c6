import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits, refWords } from "./browser-call.ts";
import { sendsToPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_select",
  toolset: "browser",
  description: "Choose options of a select on the open page, by label or value.",
  emoji: "🔽",
  input: z.object({ ref: z.string().min(1).describe(refWords), options: z.array(z.string()).min(1) }),
  needs: ["browser"],
  traits: { ...pageTraits },
  effects: ({ ref }, place) => sendsToPage(place, { refs: [ref] }),
  run: ({ ref, options }, ctx) => askBrowser({ do: "select", ref, options }, ctx),
});

import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_scroll",
  toolset: "browser",
  description:
    "Scroll the open page, for content that loads on the way; clicks scroll by themselves. With ref alone: brings the " +
    "element into view; with ref and direction: scrolls the part around it.",
  emoji: "📜",
  input: z.object({
    direction: z.enum(["up", "down", "left", "right", "top", "bottom"]).optional(),
    ref: z.string().optional(),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true, callers: "both" },
  effects: (_, place) => readsPage(place),
  run: ({ direction, ref }, ctx) =>
    askBrowser({ do: "scroll", ...(direction !== undefined && { direction }), ...(ref !== undefined && { ref }) }, ctx),
});

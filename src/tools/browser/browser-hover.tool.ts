import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits, refWords } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_hover",
  toolset: "browser",
  description: "Move the mouse over an element of the open page, for menus and hints that appear then.",
  emoji: "🖱️",
  input: z.object({ ref: z.string().min(1).describe(refWords) }),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true },
  effects: (_, place) => readsPage(place),
  run: ({ ref }, ctx) => askBrowser({ do: "hover", ref }, ctx),
});

import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { sendsToPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_press",
  toolset: "browser",
  description: "Press a key on the open page: Enter, Escape, Tab, ArrowDown, a, Control+A.",
  emoji: "⏎",
  input: z.object({ key: z.string().min(1) }),
  needs: ["browser"],
  traits: { ...pageTraits, callers: "both" },
  effects: (_, place) => sendsToPage(place, "focus"),
  run: ({ key }, ctx) => askBrowser({ do: "press", key }, ctx),
});

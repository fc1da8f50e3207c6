import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail } from "../../contracts/tool/tool-result.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_tabs",
  toolset: "browser",
  description: "List the tabs of the browser, switch to one, or close one.",
  emoji: "🗂️",
  input: z.object({
    action: z.enum(["list", "switch", "close"]).default("list"),
    tab: z.string().optional().describe("Such as t2"),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true },
  effects: (_, place) => readsPage(place),
  async run({ action, tab }, ctx) {
    if (action === "list") return askBrowser({ do: "tabs" }, ctx);
    if (tab === undefined) return fail("tab: say which, such as t2", "invalid_args");
    return askBrowser({ do: action === "switch" ? "switch_tab" : "close_tab", tab }, ctx);
  },
});

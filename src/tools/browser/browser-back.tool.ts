import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_back",
  toolset: "browser",
  description: "Go back to the page before the open one.",
  emoji: "◀️",
  input: z.object({}),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true, callers: "both" },
  effects: (_, place) => readsPage(place),
  run: (_, ctx) => askBrowser({ do: "back" }, ctx),
});

import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";

export default defineTool({
  name: "browser_navigate",
  toolset: "browser",
  description:
    "Open a web page in a real browser and read it: headings, texts and elements with references such as @e5. " +
    "Runs scripts, keeps cookies within the conversation. Act on elements with browser_click, browser_type or browser_fill. For text without interaction web_extract is faster.",
  emoji: "🌐",
  input: z.object({ url: z.string().min(1) }),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true, callers: "both" },
  effects: ({ url }) => [{ kind: "network", url, isPage: true }],
  run: ({ url }, ctx) => askBrowser({ do: "navigate", url }, ctx),
});

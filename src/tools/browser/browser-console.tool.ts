import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { runsInPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_console",
  toolset: "browser",
  description:
    "Read the console of the open page: messages and errors. With expression: evaluate JavaScript in the page and return " +
    "its value.",
  emoji: "🧰",
  input: z.object({ clear: z.boolean().default(false), expression: z.string().optional() }),
  needs: ["browser"],
  traits: { ...pageTraits },
  effects: ({ expression }, place) => (expression === undefined ? [] : runsInPage(place)),
  preview: async ({ expression }) => expression,
  run: ({ clear, expression }, ctx) =>
    askBrowser(expression === undefined ? { do: "console", isCleared: clear } : { do: "evaluate", expression }, ctx),
});

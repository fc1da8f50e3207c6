import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser } from "./browser-call.ts";

export default defineTool({
  name: "browser_close",
  toolset: "browser",
  description: "Close the browser of this conversation with all its tabs and cookies.",
  emoji: "🚪",
  input: z.object({}),
  needs: ["browser"],
  traits: { readOnly: true },
  run: (_, ctx) => askBrowser({ do: "close" }, ctx),
});

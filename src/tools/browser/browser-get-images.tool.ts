import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_get_images",
  toolset: "browser",
  description: "List the images of the open page: address, size, alternative text. vision_analyze looks at one.",
  emoji: "🖼️",
  input: z.object({}),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true },
  effects: (_, place) => readsPage(place),
  run: (_, ctx) => askBrowser({ do: "images" }, ctx),
});

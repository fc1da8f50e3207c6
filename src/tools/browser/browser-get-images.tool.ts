import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, mentioning, pageTraits } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

const description = "List the images of the open page: address, size, alternative text.";

export default defineTool({
  name: "browser_get_images",
  toolset: "browser",
  description,
  emoji: "🖼️",
  input: z.object({}),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true, callers: "both" },
  refine: mentioning(description, { vision_analyze: "vision_analyze looks at one." }),
  effects: (_, place) => readsPage(place),
  run: (_, ctx) => askBrowser({ do: "images" }, ctx),
});

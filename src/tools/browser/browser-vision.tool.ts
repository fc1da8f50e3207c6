import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_vision",
  toolset: "browser",
  description:
    "Look at the open page as a picture, for layout, charts, maps, captchas or what a snapshot does not say. annotate " +
    "draws a numbered box around each element that can be used; e5 in the picture is @e5. browser_snapshot costs less and is enough for texts and forms.",
  emoji: "👁️",
  input: z.object({
    question: z.string().min(1).describe("What to find out"),
    annotate: z.boolean().default(false),
    ref: z.string().optional().describe("Only this element"),
    whole_page: z.boolean().default(false),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true },
  effects: (_, place) => readsPage(place),
  async run({ question, annotate, ref, whole_page: isWholePage }, ctx) {
    const wish = { isAnnotated: annotate, isWholePage, ...(ref !== undefined && { ref }) };
    const result = await askBrowser({ do: "picture", ...wish }, ctx);
    if (!result.ok) return result;
    const [first, ...rest] = result.value.content;
    if (first?.type !== "text") return result;
    const described = { ...first, text: `${first.text}\nQuestion: ${question}` };
    return { ok: true, value: { ...result.value, content: [described, ...rest] } };
  },
});

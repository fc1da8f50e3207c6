import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { WaitCondition } from "../../contracts/web/browser.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_wait",
  toolset: "browser",
  description:
    "Wait for something on the open page: a text that appears or goes, an element that goes, an address, or (without " +
    "arguments) until nothing changes. Actions wait by themselves; use it for slow results.",
  emoji: "⏳",
  input: z.object({
    text: z.string().optional(),
    text_gone: z.string().optional(),
    ref_gone: z.string().optional(),
    url_contains: z.string().optional(),
    timeout: z.number().positive().max(120).default(15).describe("Seconds"),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, readOnly: true },
  effects: (_, place) => readsPage(place),
  run({ text, text_gone: textGone, ref_gone: ref, url_contains: part, timeout }, ctx) {
    const until: WaitCondition =
      text !== undefined
        ? { for: "text", text }
        : textGone !== undefined
          ? { for: "text_gone", text: textGone }
          : ref !== undefined
            ? { for: "gone", ref }
            : part !== undefined
              ? { for: "url", part }
              : { for: "still" };
    return askBrowser({ do: "wait", until, timeoutMs: timeout * 1000 }, ctx);
  },
});

import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits, refWords } from "./browser-call.ts";
import { sendsToPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_download",
  toolset: "browser",
  description:
    "Download a file with the browser: click what starts it, or pass its address. Returns the path of the file.",
  emoji: "⬇️",
  input: z.object({
    ref: z.string().optional().describe(refWords),
    url: z.string().optional(),
    timeout: z.number().positive().max(600).default(60).describe("Seconds"),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, timeoutMs: ({ timeout }) => (typeof timeout === "number" ? timeout : 60) * 1000 + 60_000 },
  effects: async ({ ref, url }, place) => [
    ...(ref === undefined ? [] : await sendsToPage(place, { refs: [ref] })),
    ...(url === undefined ? [] : [{ kind: "network" as const, url, isPage: true }]),
  ],
  run: ({ ref, url, timeout }, ctx) =>
    askBrowser(
      {
        do: "download",
        timeoutMs: timeout * 1000,
        ...(ref !== undefined && { ref }),
        ...(url !== undefined && { url }),
      },
      ctx,
    ),
});

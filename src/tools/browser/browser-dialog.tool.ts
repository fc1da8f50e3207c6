import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { sendsToPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_dialog",
  toolset: "browser-cdp",
  description: "Answer a dialog that the open page shows (alert, confirm, prompt, sign-in): accept or dismiss it.",
  emoji: "💬",
  input: z.object({
    action: z.enum(["accept", "dismiss"]),
    prompt_text: z.string().optional().describe("For a prompt; user:password for a sign-in"),
    dialog_id: z.string().optional(),
  }),
  needs: ["browser"],
  traits: { ...pageTraits },
  effects: (_, place) => sendsToPage(place),
  run: ({ action, prompt_text: text, dialog_id: dialogId }, ctx) =>
    askBrowser(
      {
        do: "dialog",
        isAccepted: action === "accept",
        ...(text !== undefined && { text }),
        ...(dialogId !== undefined && { dialogId }),
      },
      ctx,
    ),
});

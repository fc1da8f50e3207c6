import { z } from "zod";

import { isObject, type JsonObject } from "../../base/json.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { askBrowser, pageTraits } from "./browser-call.ts";
import { runsInPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_cdp",
  toolset: "browser-cdp",
  description: "Send a command of the Chrome DevTools Protocol to the open page, such as Network.getCookies.",
  emoji: "🔌",
  input: z.object({
    method: z.string().min(3),
    params: z.record(z.string(), z.unknown()).default({}),
    target_id: z.string().optional(),
    frame_id: z.string().optional(),
    timeout: z.number().positive().max(300).default(30),
  }),
  needs: ["browser"],
  traits: { ...pageTraits, timeoutMs: 330_000 },
  effects: (_, place) => runsInPage(place),
  preview: async ({ method, params }) => `${method} ${JSON.stringify(params)}`,
  run({ method, params, target_id: targetId, frame_id: frameId, timeout }, ctx) {
    const target = frameId ?? targetId;
    // Safe cast: the arguments come from JSON.
    const given: JsonObject = isObject(params) ? (params as JsonObject) : {};
    const wish = { method, params: given, timeoutMs: timeout * 1000, ...(target !== undefined && { target }) };
    return askBrowser({ do: "cdp", ...wish }, ctx);
  },
});

import type { JsonObject } from "../../base/json.ts";
import {
  closedAlready,
  type CloudAccess,
  cloudCall,
  type CloudRequest,
  type CloudService,
  openedBrowser,
  socketOf,
} from "./cloud-service.ts";

export const browserUse: CloudService = {
  id: "browser_use",
  title: "Browser Use",
  keyVars: ["BROWSER_USE_API_KEY"],

  async open(access, signal) {
    // The session length in minutes; the free plan allows 15.
    const opened = await cloudCall(access, request(access, "POST", "/browsers", { timeout: 15 }), signal);
    if (!opened.ok) return opened;
    const { id, cdpUrl, liveUrl } = opened.value;
    const isNamedBySettings = (access.variable(baseVar) ?? "") !== "";
    const browser = openedBrowser("browser_use", { id, cdpUrl, watchUrl: liveUrl }, { isNamedBySettings });
    if (!browser.ok) return browser;
    const ready = await socketOf(access, "browser_use", browser.value, isNamedBySettings, signal);
    // Closes a browser whose socket is unknown, because it would be billed until its timeout.
    if (!ready.ok) await browserUse.close(access, browser.value.id, AbortSignal.timeout(10_000));
    return ready;
  },

  async close(access, id, signal) {
    const path = `/browsers/${encodeURIComponent(id)}`;
    return closedAlready(await cloudCall(access, request(access, "PATCH", path, { action: "stop" }), signal));
  },
};

const baseVar = "BROWSER_USE_BASE_URL";

function request(access: CloudAccess, method: "POST" | "PATCH", path: string, json: JsonObject): CloudRequest {
  return {
    service: "browser_use",
    method,
    path,
    json,
    headers: { "x-browser-use-api-key": access.variable("BROWSER_USE_API_KEY") ?? "" },
    keyVar: "BROWSER_USE_API_KEY",
    base: "https://api.browser-use.com/api/v3",
    baseVar,
  };
}

import type { JsonObject } from "../../base/json.ts";
import { err } from "../../base/result.ts";
import {
  closedAlready,
  type CloudAccess,
  cloudCall,
  type CloudRequest,
  type CloudService,
  openedBrowser,
} from "./cloud-service.ts";

export const firecrawlBrowser: CloudService = {
  id: "firecrawl",
  title: "Firecrawl",
  keyVars: ["FIRECRAWL_API_KEY"],

  async open(access, signal) {
    const ttl = seconds(access.variable("FIRECRAWL_BROWSER_TTL"));
    const opened = await cloudCall(access, request(access, "POST", "/v2/browser", { ttl, activityTtl: ttl }), signal);
    if (!opened.ok) return opened;
    const { success, error, id, cdpUrl, liveViewUrl } = opened.value;
    if (success === false) {
      const words = typeof error === "string" ? error : "it gave no reason";
      return err({ kind: "refused", message: `firecrawl did not open a browser: ${words}` });
    }
    const isNamedBySettings = (access.variable(baseVar) ?? "") !== "";
    return openedBrowser("firecrawl", { id, cdpUrl, watchUrl: liveViewUrl }, { isNamedBySettings });
  },

  async close(access, id, signal) {
    return closedAlready(
      await cloudCall(access, request(access, "DELETE", `/v2/browser/${encodeURIComponent(id)}`), signal),
    );
  },
};

const baseVar = "FIRECRAWL_API_URL";

/** The timeout, between the limits of the service: 30 s and one hour. */
function seconds(text: string | undefined): number {
  const value = Number(text ?? "");
  return Number.isFinite(value) && value > 0 ? Math.min(3600, Math.max(30, Math.round(value))) : 300;
}

function request(access: CloudAccess, method: "POST" | "DELETE", path: string, json?: JsonObject): CloudRequest {
  return {
    service: "firecrawl",
    method,
    path,
    ...(json !== undefined && { json }),
    headers: { authorization: `Bearer ${access.variable("FIRECRAWL_API_KEY") ?? ""}` },
    keyVar: "FIRECRAWL_API_KEY",
    base: "https://api.firecrawl.dev",
    baseVar,
  };
}

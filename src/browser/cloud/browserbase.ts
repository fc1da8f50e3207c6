import type { JsonObject } from "../../base/json.ts";
import {
  closedAlready,
  type CloudAccess,
  cloudCall,
  type CloudRequest,
  type CloudService,
  openedBrowser,
} from "./cloud-service.ts";

/** Proxies and keep-alive are on if the account supports them. */
export const browserbase: CloudService = {
  id: "browserbase",
  title: "Browserbase",
  keyVars: ["BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID"],

  async open(access, signal) {
    const projectId = access.variable("BROWSERBASE_PROJECT_ID") ?? "";
    const paid = ["keepAlive", "proxies"].filter((feature) => access.variable(switches[feature] ?? "") !== "false");
    for (let count = paid.length; ; count--) {
      const json: JsonObject = {
        projectId,
        timeout: seconds(access.variable("BROWSERBASE_SESSION_TIMEOUT")),
        userMetadata: { startedBy: "hermes" },
        ...(access.variable("BROWSERBASE_ADVANCED_STEALTH") === "true" && {
          browserSettings: { advancedStealth: true },
        }),
        ...Object.fromEntries(paid.slice(0, count).map((feature) => [feature, true])),
      };
      const opened = await cloudCall(access, request(access, "POST", "/v1/sessions", json), signal);
      // Free accounts lack these features, and the service responds with status 402.
      if (!opened.ok && opened.error.status === 402 && count > 0) continue;
      if (!opened.ok) return opened;
      const { id, connectUrl } = opened.value;
      const isNamedBySettings = (access.variable(baseVar) ?? "") !== "";
      return openedBrowser(
        "browserbase",
        { id, cdpUrl: connectUrl },
        { isNamedBySettings, leftOut: paid.slice(count) },
      );
    }
  },

  async close(access, id, signal) {
    const json = { projectId: access.variable("BROWSERBASE_PROJECT_ID") ?? "", status: "REQUEST_RELEASE" };
    return closedAlready(
      await cloudCall(access, request(access, "POST", `/v1/sessions/${encodeURIComponent(id)}`, json), signal),
    );
  },
};

const baseVar = "BROWSERBASE_BASE_URL";
const switches: Readonly<Record<string, string>> = {
  keepAlive: "BROWSERBASE_KEEP_ALIVE",
  proxies: "BROWSERBASE_PROXIES",
};

/**
 * The timeout, between the limits of the service: one minute and six hours. The service closes the browser afterwards
 * in any case.
 */
function seconds(text: string | undefined): number {
  const value = Number(text ?? "");
  return Number.isFinite(value) && value > 0 ? Math.min(21_600, Math.max(60, Math.round(value))) : 3600;
}

function request(access: CloudAccess, method: "POST", path: string, json: JsonObject): CloudRequest {
  return {
    service: "browserbase",
    method,
    path,
    json,
    headers: { "x-bb-api-key": access.variable("BROWSERBASE_API_KEY") ?? "" },
    keyVar: "BROWSERBASE_API_KEY",
    base: "https://api.browserbase.com",
    baseVar,
  };
}

import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { createPageBrowser } from "../../browser/page/page-browser.ts";
import { createBrowserSession } from "../../browser/sessions/browser-session.ts";
import type { RenderPage } from "../../web/extract/native-extract.ts";
import type { OpenedBrowsers } from "../browser/open-browsers.ts";

/**
 * Opens a page in the local browser, waits until it no longer changes, and returns its HTML after scripts. Each page
 * has its own browser context, separate from all conversations, without logins, downloads and dialogs.
 */
export function renderInBrowser(browsers: OpenedBrowsers, clock: Clock): RenderPage {
  return async (url, signal) => {
    await using session = createBrowserSession({
      source: async () => ok(browsers.local),
      guard: browsers.guard,
      clock,
      dialogs: { policy: "auto_dismiss", timeoutMs: 1_000 },
      idleMs: maxMs,
      maxTabs: 1,
      downloads: { maxBytes: 0, maxFiles: 0 },
      save: async () => err({ message: "downloads are not supported when a page is only read" }),
    });
    const browser = createPageBrowser({
      session,
      keepUpload: () => Promise.reject(new Error("uploads are not supported when a page is only read")),
      clock,
      commandMs: maxMs,
      evaluate: { isRestricted: false },
    });
    const opened = await browser.run({ do: "navigate", url }, signal);
    if (!opened.ok) return err({ message: opened.error.message });
    const evaluated = await browser.run({ do: "evaluate", expression: settledPage }, signal);
    if (!evaluated.ok) return err({ message: evaluated.error.message });
    const result = isObject(evaluated.value.data) ? evaluated.value.data["result"] : undefined;
    const [finalUrl, html] = Array.isArray(result) ? (result as readonly unknown[]) : [];
    if (typeof finalUrl !== "string" || typeof html !== "string") return err({ message: "the browser showed no page" });
    return html.length > maxChars ? err({ message: "the page is too large" }) : ok({ url: finalUrl, html });
  };
}

/** Returns the page once its text has been stable for a moment, or after four seconds. */
const settledPage = `await new Promise((resolve) => {
  let last = -1, same = 0, looks = 0;
  const look = () => {
    const length = (document.body?.innerText ?? "").length;
    same = length === last ? same + 1 : 0;
    last = length;
    if ((length > 200 && same > 6) || ++looks > 80) resolve([location.href, document.documentElement.outerHTML]);
    else setTimeout(look, 50);
  };
  look();
})`;

const maxMs = 30_000;
const maxChars = 20_000_000;

import type { Clock } from "../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type {
  Browser,
  BrowserAnswer,
  BrowserFacts,
  BrowserFault,
  BrowserRequest,
} from "../../contracts/web/browser.ts";
import type { BrowserSession } from "../sessions/browser-session.ts";
import type { Tab } from "../sessions/tab.ts";
import { actOnPage, type PageAction } from "./act-on-page.ts";
import { type EvaluateRules, inspectPage, type InspectRequest } from "./inspect-page.ts";
import { sessionCookie } from "./login.ts";
import { type PageConsole, watchConsole } from "./page-console.ts";
import { createPageSession, type PageSession } from "./page-session.ts";
import { targetFrames } from "./target-frames.ts";

export interface PageBrowserDeps {
  readonly session: BrowserSession;
  /** Stores bytes in a place that the browser can read. Returns the path. */
  readonly keepUpload: (name: string, bytes: Uint8Array) => Promise<string>;
  readonly clock: Clock;
  /** The timeout of a navigation in milliseconds. */
  readonly commandMs: number;
  readonly evaluate: EvaluateRules;
}

type Answer = Result<BrowserAnswer, BrowserFault>;

/** The browser of a conversation: runs every request of the browser tools on its tabs. */
export function createPageBrowser(deps: PageBrowserDeps): Browser {
  const { session: own, clock, commandMs } = deps;
  const pages = new WeakMap<Tab, PageSession>();
  /** Requests run one after another, because parallel ones would see each other's changes. */
  let last: Promise<unknown> = Promise.resolve();

  const consoles = new WeakMap<Tab, PageConsole>();
  own.onTab((tab) => {
    consoles.set(tab, watchConsole(tab));
    // The tab's program is installed before the first document.
    pageOf(tab);
  });

  function pageOf(tab: Tab): PageSession {
    const cached = pages.get(tab);
    if (cached) return cached;
    const page = createPageSession(tab, { clock, takeNotices: () => own.takeNotices() });
    pages.set(tab, page);
    return page;
  }

  async function navigate(url: string, signal: AbortSignal): Promise<Answer> {
    const address = completedUrl(url);
    if (address === undefined) return err({ kind: "invalid", message: `${JSON.stringify(url)} is not a web address` });
    const opened = await own.current();
    if (!opened.ok) return err({ kind: "unavailable", message: opened.error.message });
    const tab = opened.value;
    const went = await tab.navigate(address);
    if (!went.ok) {
      const isRefused = went.error.message.startsWith("blocked:");
      const notices = own.takeNotices().filter((notice) => !notice.startsWith("blocked:"));
      const message = [went.error.message, ...notices].join("\n");
      return err({ kind: isRefused ? "refused" : "failed", message });
    }
    return ok(await pageOf(tab).report("", signal, { maxMs: commandMs, isUntouched: true }));
  }

  async function tabList(): Promise<BrowserAnswer> {
    const current = own.peek();
    const list = own
      .tabs()
      .map((tab, index) => ({ id: `t${index + 1}`, title: tab.title, url: tab.url, current: tab === current }));
    const lines = list.map(
      ({ id, title, url, current: isCurrent }) => `${isCurrent ? "* " : "  "}${id} ${title || "(no title)"} <${url}>`,
    );
    return { text: lines.length === 0 ? "No tab is open." : lines.join("\n"), data: { success: true, tabs: list } };
  }

  function tabOf(id: string): Result<Tab, BrowserFault> {
    const all = own.tabs();
    const [, digits] = /^t?(\d+)$/iu.exec(id.trim()) ?? [];
    const tab = digits === undefined ? all.find((each) => each.id === id) : all[Number(digits) - 1];
    if (tab) return ok(tab);
    return err({
      kind: "invalid",
      message: `There is no tab ${JSON.stringify(id)}; browser_tabs lists ${all.length}.`,
    });
  }

  async function onTab(request: TabRequest, signal: AbortSignal): Promise<Answer> {
    if (request.do === "tabs") return ok(await tabList());
    const tab = tabOf(request.tab);
    if (!tab.ok) return tab;
    if (request.do === "close_tab") {
      await tab.value.close();
      const { text, data } = await tabList();
      return ok({ text: `Closed ${request.tab}.\n${text}`, ...(data !== undefined && { data }) });
    }
    own.select(tab.value.id);
    return ok(await pageOf(tab.value).report(`Now on ${request.tab}.`, signal));
  }

  async function runOne(request: BrowserRequest, signal: AbortSignal): Promise<Answer> {
    if (request.do === "navigate") return navigate(request.url, signal);
    if (isTabRequest(request)) return onTab(request, signal);
    if (request.do === "close") {
      await own.close();
      return ok({ text: "The browser is closed.", data: { success: true } });
    }
    const tab = own.peek();
    if (!tab) return err({ kind: "no_page", message: "No page is open. Open one with browser_navigate." });
    const page = pageOf(tab);
    own.touch();
    if (isInspecting(request))
      return inspectPage(page, request, {
        messages: (isCleared) => consoles.get(tab)?.messages(isCleared) ?? [],
        rules: deps.evaluate,
        signal,
      });
    const answer = await actOnPage(page, request, { session: own, keepUpload: deps.keepUpload, clock, signal });
    if (!answer.ok) return answer;
    // An action may have opened another tab and switched to it.
    const now = own.peek();
    if (now === undefined || now === tab) return answer;
    const opened = await pageOf(now).report("", signal);
    return ok({ ...opened, text: `${answer.value.text}\nThe new tab:\n${opened.text}` });
  }

  return {
    async facts(target): Promise<BrowserFacts> {
      const tab = own.peek();
      if (!tab || tab.url === "" || tab.url === "about:blank") return {};
      const login = own.facts()?.login ?? (await sessionCookie(tab));
      const frames = target && (await targetFrames(pageOf(tab), target));
      return { url: tab.url, ...(login !== undefined && { login }), ...(frames && { frames }) };
    },
    async run(request, signal) {
      const work = last.then(() => runOne(request, signal));
      last = work.catch(() => undefined);
      try {
        return await work;
      } catch (thrown) {
        return err({ kind: "failed", message: `The browser could not do it: ${reasonOf(thrown)}`, isActed: true });
      }
    },
  };
}

type TabRequest = Extract<BrowserRequest, { readonly do: "tabs" | "switch_tab" | "close_tab" }>;

function isTabRequest(request: BrowserRequest): request is TabRequest {
  return request.do === "tabs" || request.do === "switch_tab" || request.do === "close_tab";
}

function isInspecting(request: PageAction | InspectRequest): request is InspectRequest {
  return ["snapshot", "pdf", "images", "picture", "console", "evaluate", "cdp"].includes(request.do);
}

/** The address with a scheme: `example.com` means HTTPS, a host of this machine HTTP. */
export function completedUrl(url: string): string | undefined {
  const text = url.trim();
  const isHere = /^(?:localhost|127\.|\[::1\])/iu.test(text);
  const full =
    /^[a-z][a-z0-9+.-]*:/iu.test(text) && !/^[\w.-]+:\d+(?:\/|$)/u.test(text)
      ? text
      : `${isHere ? "http" : "https"}://${text}`;
  return URL.canParse(full) ? full : undefined;
}

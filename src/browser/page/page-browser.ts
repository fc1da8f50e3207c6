import type { Clock } from "../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type {
  Browser,
  BrowserAnswer,
  BrowserFacts,
  BrowserFault,
  BrowserRequest,
} from "../../contracts/web/browser.ts";
import type { Tab } from "../sessions/tab.ts";
import { actOnPage, type PageRequest } from "./act-on-page.ts";
import type { BrowserTabs } from "./browser-tabs.ts";
import { type EvaluateRules, inspectPage, type InspectRequest } from "./inspect-page.ts";
import { sessionCookie } from "./login.ts";
import { createPageSession, type PageSession } from "./page-session.ts";

export interface PageBrowserDeps {
  readonly tabs: BrowserTabs;
  readonly clock: Clock;
  /** Milliseconds for one navigation. */
  readonly commandMs: number;
  readonly evaluate: EvaluateRules;
}

type Answer = Result<BrowserAnswer, BrowserFault>;

/** The browser of a conversation over its tabs: every request of the tools ends here. */
export function createPageBrowser(deps: PageBrowserDeps): Browser {
  const { tabs, clock, commandMs } = deps;
  const sessions = new WeakMap<Tab, PageSession>();
  /** Requests run one after another: two at once would see each other's changes. */
  let last: Promise<unknown> = Promise.resolve();

  function sessionOf(tab: Tab): PageSession {
    const known = sessions.get(tab);
    if (known) return known;
    const session = createPageSession(tab, clock);
    sessions.set(tab, session);
    return session;
  }

  async function navigate(url: string, signal: AbortSignal): Promise<Answer> {
    const address = completed(url);
    if (address === undefined) return err({ kind: "invalid", message: `${JSON.stringify(url)} is not a web address` });
    const refusal = await tabs.refusal(address);
    if (refusal !== undefined) return err({ kind: "refused", message: refusal });
    const opened = await tabs.open(signal);
    if (!opened.ok) return err({ kind: "unavailable", message: opened.error.message });
    const tab = opened.value;
    if (tab.crash !== undefined) await tab.reopen();
    const session = sessionOf(tab);
    const { errorText, loaderId } = await tab.main.send<{ errorText?: string; loaderId?: string }>(
      "Page.navigate",
      { url: address },
      commandMs,
    );
    if (errorText !== undefined && errorText !== "net::ERR_ABORTED")
      return err({ kind: "failed", message: failedNavigation(address, errorText, tab.takeNotices()) });
    const isDownload = errorText === "net::ERR_ABORTED";
    const notes = [
      ...tabs.takeWarnings(),
      ...(isDownload ? ["the address did not become a page (a download, or it was refused)"] : []),
    ];
    // The current address shows where redirects ended.
    const answer = await session.report("", signal, { maxMs: commandMs, notes });
    const landed = await tabs.refusal(tab.url === "" || tab.url === "about:blank" ? address : tab.url);
    if (landed === undefined || loaderId === undefined) return ok(answer);
    await tab.main.send("Page.navigate", { url: "about:blank" }).catch(() => undefined);
    return err({ kind: "refused", message: `${address} led to ${tab.url}: ${landed}` });
  }

  async function tabList(): Promise<BrowserAnswer> {
    const current = tabs.current();
    const list = tabs
      .all()
      .map((tab, index) => ({ id: `t${index + 1}`, title: tab.title, url: tab.url, current: tab === current }));
    const lines = list.map(
      ({ id, title, url, current: isCurrent }) => `${isCurrent ? "* " : "  "}${id} ${title || "(no title)"} <${url}>`,
    );
    return { text: lines.length === 0 ? "No tab is open." : lines.join("\n"), data: { success: true, tabs: list } };
  }

  function tabOf(id: string): Result<Tab, BrowserFault> {
    const all = tabs.all();
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
    await tabs.select(tab.value.id);
    return ok(await sessionOf(tab.value).report(`Now on ${request.tab}.`, signal));
  }

  async function runOne(request: BrowserRequest, signal: AbortSignal): Promise<Answer> {
    switch (request.do) {
      case "navigate":
        return navigate(request.url, signal);
      case "close":
        await tabs.close();
        return ok({ text: "The browser is closed.", data: { success: true } });
      case "tabs":
      case "switch_tab":
      case "close_tab":
        return onTab(request, signal);
    }
    const tab = tabs.current();
    if (!tab) return err({ kind: "no_page", message: "No page is open. Open one with browser_navigate." });
    const session = sessionOf(tab);
    if (isInspecting(request)) return inspectPage(session, request, { tabs, rules: deps.evaluate, signal });
    const answer = await actOnPage(session, request, { tabs, clock, signal });
    if (!answer.ok) return answer;
    // An action may have opened another tab and made it the current one.
    const now = tabs.current();
    if (now === undefined || now === tab) return answer;
    const opened = await sessionOf(now).report("", signal);
    return ok({
      ...opened,
      text: `${answer.value.text}\nA new tab opened and is the current one now.\n${opened.text}`,
    });
  }

  return {
    async facts(): Promise<BrowserFacts> {
      const tab = tabs.current();
      if (!tab || tab.url === "" || tab.url === "about:blank") return {};
      const login = tabs.ownership ?? (await sessionCookie(tab));
      return { url: tab.url, ...(login !== undefined && { login }) };
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

function isInspecting(request: PageRequest | InspectRequest): request is InspectRequest {
  return ["snapshot", "pdf", "images", "picture", "console", "evaluate", "cdp"].includes(request.do);
}

/** The address with a scheme: `example.com` means HTTPS, a host of this machine HTTP. */
function completed(url: string): string | undefined {
  const text = url.trim();
  const isHere = /^(?:localhost|127\.|\[::1\])/iu.test(text);
  const full =
    /^[a-z][a-z0-9+.-]*:/iu.test(text) && !/^[\w.-]+:\d+(?:\/|$)/u.test(text)
      ? text
      : `${isHere ? "http" : "https"}://${text}`;
  return URL.canParse(full) ? full : undefined;
}

function failedNavigation(url: string, errorText: string, notices: readonly string[]): string {
  const reasons: Readonly<Record<string, string>> = {
    "net::ERR_NAME_NOT_RESOLVED": "there is no such host",
    "net::ERR_CONNECTION_REFUSED": "the host refused the connection",
    "net::ERR_INTERNET_DISCONNECTED": "this machine is offline",
    "net::ERR_CONNECTION_TIMED_OUT": "the host did not answer in time",
    "net::ERR_TUNNEL_CONNECTION_FAILED": "the guard of the browser refused it or could not connect",
    "net::ERR_TOO_MANY_REDIRECTS": "it redirects without end",
  };
  return [`${url} did not open: ${reasons[errorText] ?? errorText}.`, ...notices].join(" ");
}

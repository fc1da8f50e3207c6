import type { Clock } from "../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { gateRequests } from "../guard/request-gate.ts";
import type { GuardRefusal, UrlGuard } from "../guard/url-guard.ts";
import { type AttachedTab, attachTab, type TargetInfo } from "./attach-tab.ts";
import type { BrowserSource, OpenedBrowser } from "./browser-source.ts";
import type { DialogSettings } from "./page-dialogs.ts";
import { type Download, type DownloadLimits, followDownloads, type PageDownloads } from "./page-downloads.ts";
import type { Tab } from "./tab.ts";

/** The browser of one conversation: its tabs, isolated from those of other conversations. */
export interface BrowserSession extends AsyncDisposable {
  /** The active tab. Opens the browser and a tab if there is none. */
  current(): Promise<Result<Tab>>;
  /** The tab in use, if one is open. */
  peek(): Tab | undefined;
  /** Opens a new tab, which becomes the active one. */
  newTab(): Promise<Result<Tab>>;
  tabs(): readonly Tab[];
  /** False if there is no such tab. */
  select(tabId: string): boolean;
  downloads(): readonly Download[];
  /** Where files for file choosers are put. */
  uploads(): OpenedBrowser["uploads"];
  onDownload(listener: (download: Download) => void): Disposable;
  onTab(listener: (tab: Tab) => void): Disposable;
  /** The running browser; undefined if none is running. */
  facts(): BrowserSessionFacts | undefined;
  /** Sentences since the last call: refusals, popups, dialogs, downloads, crashes, weaknesses. */
  takeNotices(): readonly string[];
  /** Somebody uses it: the idle time starts again. Every `current` does this too. */
  touch(): void;
  /** Closes all tabs and deletes cookies. The next use opens the browser again. */
  close(): Promise<void>;
}

export interface BrowserSessionFacts extends Pick<OpenedBrowser, "description" | "checks" | "login"> {
  readonly tabCount: number;
}

export interface BrowserSessionDeps {
  readonly source: () => Promise<Result<BrowserSource>>;
  readonly guard: UrlGuard;
  readonly clock: Clock;
  readonly dialogs: DialogSettings;
  readonly idleMs: number;
  readonly maxTabs: number;
  readonly downloads: DownloadLimits;
  /** Moves a finished download into the workspace. */
  readonly save: (name: string, file: string) => Promise<Result<string>>;
}

export function createBrowserSession(deps: BrowserSessionDeps): BrowserSession {
  const { clock, guard, maxTabs } = deps;
  const notices: string[] = [];
  const tabListeners = new Set<(tab: Tab) => void>();
  const downloadListeners = new Set<(download: Download) => void>();
  let opening: Promise<Result<Opened>> | undefined;
  let opened: Opened | undefined;
  let idle: Disposable | undefined;
  let isClosed = false;

  function note(sentence: string): void {
    if (notices.length < maxNotices && !notices.includes(sentence)) notices.push(sentence);
  }

  function takeNotices(): readonly string[] {
    opened?.tabs.settlePopups();
    return notices.splice(0);
  }

  function touch(): void {
    idle?.[Symbol.dispose]();
    idle = undefined;
    if (!opened) return;
    idle = clock.after(deps.idleMs, () => {
      note(`The browser was closed after ${deps.idleMs / 1000} s without use; open the page again.`);
      void close();
    });
  }

  async function open(): Promise<Result<Opened>> {
    if (isClosed) return err({ message: "This conversation has ended." });
    const source = await deps.source();
    if (!source.ok) return source;
    const followed: { tabs?: OwnTabs } = {};
    const got = await source.value.open((refusal) => {
      noteRefusal(refusal);
      followed.tabs?.noteRefusal(refusal);
    });
    if (!got.ok) return got;
    const browser = got.value;
    for (const warning of browser.warnings) note(warning);
    const tabs = followTabs(browser, { guard, clock, dialogs: deps.dialogs, maxTabs, note, noteRefusal, tabListeners });
    followed.tabs = tabs;
    const downloads = downloadsOf(browser, tabs);
    const next: Opened = { browser, tabs, downloads };
    opened = next;
    const onEnd = async (): Promise<void> => {
      const reason = await browser.ended;
      if (opened !== next) return;
      note(`The browser has ended: ${reason}. Open the page again.`);
      forget(next);
      await browser.close();
    };
    void onEnd();
    touch();
    return ok(next);
  }

  function downloadsOf(browser: OpenedBrowser, tabs: OwnTabs): PageDownloads | undefined {
    if (browser.downloads === undefined) return undefined;
    const { connection, contextId, downloads: folder } = browser;
    const followed = followDownloads({
      connection,
      contextId,
      folder,
      isOwn: (frameId) => tabs.hasFrame(frameId),
      limits: deps.downloads,
      save: deps.save,
      note,
    });
    followed.onChange((download) => downloadListeners.forEach((listener) => listener(download)));
    return followed;
  }

  function noteRefusal({ url, reason }: GuardRefusal): void {
    note(`blocked: ${url.slice(0, maxUrlChars)}: ${reason}`);
  }

  function forget({ tabs, downloads }: Opened): void {
    opened = undefined;
    opening = undefined;
    idle?.[Symbol.dispose]();
    tabs[Symbol.dispose]();
    downloads?.[Symbol.dispose]();
  }

  async function ready(): Promise<Result<Opened>> {
    const mine = (opening ??= open().catch((thrown: unknown) => err({ message: reasonOf(thrown) })));
    const result = await mine;
    if (!result.ok && opening === mine) opening = undefined;
    touch();
    return result;
  }

  async function close(): Promise<void> {
    // A browser that is just opening would stay open.
    await opening;
    const current = opened;
    if (!current) return;
    // Its own process ends with its tabs; a browser that runs on keeps them.
    const tabs = current.browser.attachesItself ? [] : current.tabs.list();
    forget(current);
    await Promise.allSettled(tabs.map(async (tab) => tab.close()));
    await current.browser.close();
  }

  return {
    async current() {
      const result = await ready();
      if (!result.ok) return result;
      const tab = result.value.tabs.current();
      return tab ? ok(tab) : result.value.tabs.make();
    },
    peek: () => opened?.tabs.current(),
    async newTab() {
      const result = await ready();
      return result.ok ? result.value.tabs.make() : result;
    },
    tabs: () => opened?.tabs.list() ?? [],
    select: (tabId) => opened?.tabs.select(tabId) ?? false,
    downloads: () => opened?.downloads?.list() ?? [],
    onDownload: (listener) => added(downloadListeners, listener),
    onTab: (listener) => added(tabListeners, listener),
    facts() {
      if (!opened) return undefined;
      const { description, checks, login } = opened.browser;
      return { description, checks, ...(login !== undefined && { login }), tabCount: opened.tabs.list().length };
    },
    takeNotices,
    uploads: () => opened?.browser.uploads,
    touch,
    close,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await close();
    },
  };
}

interface Opened {
  readonly browser: OpenedBrowser;
  readonly tabs: OwnTabs;
  readonly downloads: PageDownloads | undefined;
}

const maxKnownIds = 1_000;
const maxNotices = 20;
const maxUrlChars = 300;

function added<T>(set: Set<T>, item: T): Disposable {
  set.add(item);
  return { [Symbol.dispose]: () => void set.delete(item) };
}

interface OwnTabs extends Disposable {
  current(): AttachedTab | undefined;
  make(): Promise<Result<Tab>>;
  list(): readonly AttachedTab[];
  select(tabId: string): boolean;
  hasFrame(frameId: string): boolean;
  noteRefusal(refusal: GuardRefusal): void;
  /** The next popup may become the tab in use again. */
  settlePopups(): void;
}

interface TabsDeps extends Pick<BrowserSessionDeps, "guard" | "clock" | "dialogs" | "maxTabs"> {
  readonly note: (sentence: string) => void;
  readonly noteRefusal: (refusal: GuardRefusal) => void;
  readonly tabListeners: ReadonlySet<(tab: Tab) => void>;
}

/** Attaches the pages of one conversation as they appear: those it opens, and popups of those. */
function followTabs(browser: OpenedBrowser, deps: TabsDeps): OwnTabs {
  const { connection, contextId, admission, checks, attachesItself, alone } = browser;
  const { note, guard, maxTabs } = deps;
  const tabs = new Map<string, { readonly tab: AttachedTab; readonly sessionId: string }>();
  const held = new DisposableStack();
  let currentId: string | undefined;
  let isCreating = false;
  /** The tab that is being created appears before the browser responds. */
  let onCreated: ((tab: AttachedTab) => void) | undefined;
  let hasSwitched = false;
  /** Present and earlier tabs: a tab that only starts a download closes at once. */
  const knownIds = new Set<string>();
  const closing = new WeakSet<AttachedTab>();

  function isOwn({ targetId, browserContextId, openerId }: TargetInfo): boolean {
    if (tabs.has(targetId)) return false;
    if (contextId !== undefined) return browserContextId === contextId;
    return openerId === undefined ? isCreating : tabs.has(openerId);
  }

  function add(sessionId: string, info: TargetInfo): AttachedTab {
    const tabDeps = { ...deps, connection, admission, checks, onRefused: deps.noteRefusal };
    const tab = attachTab(sessionId, info, tabDeps);
    tabs.set(info.targetId, { tab, sessionId });
    if (knownIds.size > maxKnownIds) knownIds.clear();
    knownIds.add(info.targetId);
    if (info.openerId === undefined) currentId = info.targetId;
    else notePopup(tab, info);
    for (const listener of deps.tabListeners) listener(tab);
    if (info.openerId === undefined) onCreated?.(tab);
    return tab;
  }

  function notePopup(tab: AttachedTab, { openerId, url }: TargetInfo): void {
    const staying = [...tabs.values()].filter((each) => !closing.has(each.tab));
    if (staying.length > maxTabs) {
      const oldest = staying.find((each) => each.tab.openerId !== undefined && each.tab.id !== currentId)?.tab;
      // Popups of popups would never end: theirs are closed before they run for long.
      const closed = openerId === currentId && oldest ? oldest : tab;
      closing.add(closed);
      void closed.close().catch(() => {});
      note(`The page opens many tabs: at most ${maxTabs} stay open, others are closed.`);
      return;
    }
    if (openerId === currentId && !hasSwitched) {
      currentId = tab.id;
      hasSwitched = true;
      note(`The page opened a new tab, which is now in use${url === "" ? "" : `: ${url.slice(0, maxUrlChars)}`}.`);
    } else note("The page opened another tab in the background.");
  }

  function remove(targetId: string): void {
    const entry = tabs.get(targetId);
    if (!entry) return;
    tabs.delete(targetId);
    entry.tab[Symbol.dispose]();
    if (currentId !== targetId) return;
    const opener = entry.tab.openerId;
    currentId = opener !== undefined && tabs.has(opener) ? opener : [...tabs.keys()].at(-1);
  }

  held.use(
    connection.on("Target.attachedToTarget", ({ sessionId: childId, targetInfo }, parent) => {
      if (parent !== undefined || !attachesItself) return;
      // Parameters that the protocol defines.
      const [id, info] = [childId as string, targetInfo as TargetInfo];
      if (info.type === "page") return void (isOwn(info) && add(id, info));
      if (info.browserContextId !== contextId) return;
      const worker = connection.session(id);
      const askCredentials = async (): Promise<undefined> => undefined;
      const gateDeps = { guard, admission, isDocumentsOnly: false, onRefused: deps.noteRefusal, askCredentials };
      // Some kinds of workers make no requests.
      gateRequests(worker, gateDeps).catch(() => {});
      void worker.send("Runtime.runIfWaitingForDebugger").catch(() => {});
    }),
  );
  held.use(
    connection.on("Target.targetCreated", ({ targetInfo }) => {
      const info = targetInfo as TargetInfo;
      if (attachesItself || info.type !== "page" || info.openerId === undefined || !tabs.has(info.openerId)) return;
      void attach(info).catch(() => {});
    }),
  );
  held.use(
    connection.on("Target.targetInfoChanged", ({ targetInfo }) => {
      const info = targetInfo as TargetInfo;
      tabs.get(info.targetId)?.tab.update(info);
    }),
  );
  held.use(connection.on("Target.targetDestroyed", ({ targetId }) => remove(String(targetId))));
  held.use(
    connection.on("Target.detachedFromTarget", ({ sessionId }) => {
      for (const [id, entry] of tabs) if (entry.sessionId === sessionId) remove(id);
    }),
  );

  async function attach(info: TargetInfo): Promise<AttachedTab> {
    const params = { targetId: info.targetId, flatten: true };
    const { sessionId } = await connection.send<{ sessionId: string }>("Target.attachToTarget", params);
    return tabs.get(info.targetId)?.tab ?? add(sessionId, info);
  }

  async function make(): Promise<Result<Tab>> {
    if (tabs.size >= maxTabs) return err({ message: `At most ${maxTabs} tabs can be open; close one first.` });
    try {
      return await alone(async () => {
        isCreating = true;
        const place = contextId === undefined ? {} : { browserContextId: contextId };
        const params = { url: "about:blank", ...place };
        const appeared = new Promise<AttachedTab>((resolve) => void (onCreated = resolve));
        const created = connection.send<{ targetId: string }>("Target.createTarget", params).then(async (target) => {
          const attached = tabs.get(target.targetId)?.tab;
          return (
            attached ??
            (attachesItself ? undefined : attach({ ...target, type: "page", url: "about:blank", title: "" }))
          );
        });
        const tab = await Promise.race([appeared, created]);
        if (!tab) return err({ message: "The browser opened no tab." });
        created.catch(() => undefined);
        currentId = tab.id;
        await tab.ready;
        return ok(tab);
      });
    } catch (thrown) {
      return err({ message: `The browser opened no tab: ${reasonOf(thrown)}` });
    } finally {
      isCreating = false;
      onCreated = undefined;
    }
  }

  return {
    current: () => (currentId === undefined ? undefined : tabs.get(currentId)?.tab),
    make,
    list: () => [...tabs.values()].map(({ tab }) => tab).filter((tab) => !closing.has(tab)),
    select(tabId) {
      if (!tabs.has(tabId)) return false;
      currentId = tabId;
      void connection.send("Target.activateTarget", { targetId: tabId }).catch(() => {});
      return true;
    },
    hasFrame: (frameId) => knownIds.has(frameId) || [...tabs.values()].some(({ tab }) => tab.hasFrame(frameId)),
    noteRefusal: (refusal) => tabs.forEach(({ tab }) => tab.noteRefusal(refusal)),
    settlePopups: () => void (hasSwitched = false),
    [Symbol.dispose]() {
      held.dispose();
      for (const { tab } of tabs.values()) tab[Symbol.dispose]();
      tabs.clear();
    },
  };
}

import type { Clock } from "../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { CdpConnection, CdpParams, CdpSession } from "../cdp/connection.ts";
import type { ProxyAdmission } from "../guard/browser-proxy.ts";
import { gateRequests, type ServerChallenge } from "../guard/request-gate.ts";
import { type GuardRefusal, isShownLocally, type UrlGuard } from "../guard/url-guard.ts";
import { recordActivity } from "./network-activity.ts";
import { createTabDialogs, type DialogSettings } from "./page-dialogs.ts";
import type { FileChooser, FrameSession, Tab } from "./tab.ts";

export interface TabDeps {
  readonly connection: CdpConnection;
  readonly clock: Clock;
  readonly guard: UrlGuard;
  readonly admission: ProxyAdmission | undefined;
  /** `navigations`: the browser does not go through our proxy, and only documents are judged. */
  readonly checks: "all" | "navigations";
  readonly dialogs: DialogSettings;
  readonly onRefused: (refusal: GuardRefusal) => void;
  /** A sentence for the user of the tab. */
  readonly note: (sentence: string) => void;
}

export interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
  readonly title: string;
  readonly openerId?: string;
  readonly browserContextId?: string;
  readonly parentFrameId?: string;
}

export interface AttachedTab extends Tab, Disposable {
  readonly openerId: string | undefined;
  /** Resolves when the page reports everything: a navigation before that would lose its events. */
  readonly ready: Promise<unknown>;
  update(info: TargetInfo): void;
  /** Whether it is the main frame or another frame of this tab. */
  hasFrame(frameId: string): boolean;
  /** The proxy refused a request of this or another tab of the conversation. */
  noteRefusal(refusal: GuardRefusal): void;
}

/** Attaches to a page at its start. Sends all commands at once; the page starts after them. */
export function attachTab(sessionId: string, info: TargetInfo, deps: TabDeps): AttachedTab {
  const { connection, clock, note, guard } = deps;
  const main = connection.session(sessionId);
  const activity = recordActivity(clock);
  const dialogs = createTabDialogs({ clock, settings: deps.dialogs, note });
  const frames = new Map<string, FrameSession>();
  const parents = new Map<string, string>();
  const refusals: GuardRefusal[] = [];
  let { url, title } = info;
  let shownLoader: string | undefined;
  let crash: string | undefined;
  let chooser: FileChooser | undefined;

  const onRefused = (refusal: GuardRefusal): void => {
    refusals.push(refusal);
    if (refusals.length > maxRefusals) refusals.shift();
    deps.onRefused(refusal);
  };

  function follow(session: CdpSession): Promise<unknown> {
    const sent: Promise<unknown>[] = [];
    const tell = (method: string, params?: CdpParams): void => void sent.push(session.send(method, params));
    session.on("Target.attachedToTarget", ({ sessionId: childId, targetInfo }) => {
      // Parameters that the protocol defines.
      attachChild(connection.session(childId as string), targetInfo as TargetInfo);
    });
    session.on("Target.detachedFromTarget", ({ sessionId: childId }) => {
      frames.delete(String(childId));
      activity.forgetWorker(String(childId));
    });
    session.on("Page.frameAttached", ({ frameId, parentFrameId }) => {
      if (parents.size < maxFrames) parents.set(String(frameId), String(parentFrameId));
    });
    session.on("Page.frameDetached", ({ frameId, reason }) => {
      if (reason !== "swap") parents.delete(String(frameId));
    });
    session.on("Page.fileChooserOpened", ({ backendNodeId, mode }) => {
      if (typeof backendNodeId !== "number") return;
      chooser = { backendNodeId, session, isMultiple: mode === "selectMultiple" };
      note("The page opened a file chooser. It waits for files (browser_upload).");
    });
    dialogs.follow(session);
    activity.follow(session);
    tell("Page.enable");
    tell("Network.enable");
    tell("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    tell("Page.setInterceptFileChooserDialog", { enabled: true });
    const gateDeps = {
      guard,
      admission: deps.admission,
      isDocumentsOnly: deps.checks === "navigations",
      onRefused,
      askCredentials: async (challenge: ServerChallenge) => dialogs.askCredentials(challenge),
    };
    sent.push(gateRequests(session, gateDeps));
    tell("Runtime.runIfWaitingForDebugger");
    // A target that was closed refuses; its end is reported separately.
    return Promise.allSettled(sent);
  }

  function attachChild(session: CdpSession, child: TargetInfo): void {
    if (child.type !== "iframe") {
      activity.followWorker(session, child.url);
      for (const method of ["Network.enable", "Runtime.runIfWaitingForDebugger"])
        void session.send(method).catch(() => {});
      return;
    }
    const { targetId: frameId } = child;
    const parentFrameId = child.parentFrameId ?? parents.get(frameId);
    const frame = { frameId, parentFrameId, url: child.url, session };
    frames.set(session.id, frame);
    session.on("Page.frameNavigated", ({ frame: shown }) => {
      const { id, url: frameUrl = "" } = shown as { readonly id?: string; readonly url?: string };
      if (id === frameId) frames.set(session.id, { ...frame, url: frameUrl });
    });
    void follow(session);
  }

  main.on("Page.frameNavigated", ({ frame }) => {
    const {
      parentId,
      url: next = "",
      urlFragment = "",
      unreachableUrl,
      loaderId,
    } = frame as Partial<Record<string, string>>;
    if (parentId !== undefined) return;
    url = unreachableUrl ?? `${next}${urlFragment}`;
    activity.startDocument();
    shownLoader = loaderId;
    chooser = undefined;
    crash = undefined;
    if (unreachableUrl !== undefined || isAllowedToStay(url)) return;
    // Scripts cannot get here; this is a safeguard against unknown ways.
    onRefused({ url, reason: `${url.split(":")[0]}: pages are not opened` });
    void main.send("Page.navigate", { url: "about:blank" }).catch(() => {});
  });
  main.on("Page.navigatedWithinDocument", ({ frameId, url: next }) => {
    if (frameId === info.targetId && typeof next === "string") url = next;
  });
  main.on("Page.frameRequestedNavigation", ({ frameId, disposition }) => {
    if (frameId === info.targetId && disposition === "currentTab") activity.expectNavigation();
  });
  main.on("Page.frameStartedLoading", ({ frameId }) => {
    if (frameId === info.targetId) activity.setLoading(true);
  });
  main.on("Page.frameStoppedLoading", ({ frameId }) => {
    if (frameId === info.targetId) activity.setLoading(false);
  });
  main.on("Page.loadEventFired", () => activity.setLoading(false));
  main.on("Inspector.targetCrashed", () => {
    if (crash !== undefined) return;
    crash = `The page ${url} crashed (it may have used too much memory).`;
    note(crash);
    activity.reset();
    dialogs[Symbol.dispose]();
  });
  const ready = follow(main);
  void main.send("Inspector.enable").catch(() => {});

  async function navigate(target: string): Promise<Result<void>> {
    const fault = isShownLocally(target) ? undefined : await faultOf(target, deps);
    if (fault !== undefined) {
      onRefused({ url: target, reason: fault });
      return err({ message: `blocked: ${fault}` });
    }
    refusals.length = 0;
    const { promise: question, resolve: setQuestion } = Promise.withResolvers<"question">();
    using _opening = dialogs.onOpen(() => setQuestion("question"));
    try {
      const shown = await Promise.race([open(target), question]);
      if (shown === "question") return ok(undefined);
      if (shown.errorText === undefined && shown.loaderId !== undefined)
        await Promise.race([committed(shown.loaderId), question]);
      // The proxy answers a refused http address with its own page.
      const refusal = isRefusal(shown.errorText)
        ? refusals.at(-1)
        : refusals.find((each) => each.url === url || each.url === target);
      if (refusal) return err({ message: `blocked: ${refusal.url}: ${refusal.reason}` });
      return shown.errorText === undefined ? ok(undefined) : err({ message: readable(shown.errorText, target) });
    } catch (thrown) {
      return err({ message: reasonOf(thrown) });
    }
  }

  /** Opens the address, and again if a navigation of the page itself came in between. */
  async function open(target: string): Promise<Shown> {
    for (let attempt = 1; ; attempt++) {
      const navigations = activity.navigations();
      const shown = await main.send<Shown>("Page.navigate", { url: target });
      const isReplaced = shown.errorText === "net::ERR_ABORTED" && activity.navigations() !== navigations;
      if (!isReplaced || shown.isDownload === true || attempt >= maxAttempts) return shown;
    }
  }

  /** The browser responds a moment before it reports the new page. */
  async function committed(loaderId: string): Promise<void> {
    if (shownLoader === loaderId) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _shown = main.on("Page.frameNavigated", () => void (shownLoader === loaderId && resolve()));
    using _limit = clock.after(maxCommitMs, resolve);
    await promise;
  }

  return {
    id: info.targetId,
    openerId: info.openerId,
    ready,
    get url() {
      return url;
    },
    get title() {
      return title;
    },
    main,
    navigate,
    frames: () => [...frames.values()],
    network: activity,
    dialogs: () => dialogs.list(),
    answerDialog: async (answer, dialogId) => dialogs.answer(answer, dialogId),
    fileChooser: () => chooser,
    get crash() {
      return crash;
    },
    async reopen() {
      crash = undefined;
      await main.send("Page.navigate", { url });
    },
    async close() {
      await connection.send("Target.closeTarget", { targetId: info.targetId });
    },
    update({ title: next, url: shown }) {
      title = next;
      if (url === "") url = shown;
    },
    hasFrame: (frameId) => frameId === info.targetId || parents.has(frameId),
    noteRefusal: (refusal) => void refusals.push(refusal),
    [Symbol.dispose]: () => dialogs[Symbol.dispose](),
  };
}

const maxRefusals = 100;
const maxFrames = 5_000;

/** Internal pages of the browser and local files are never shown. */
function isAllowedToStay(url: string): boolean {
  return isShownLocally(url) || /^(?:https?|chrome-error):/iu.test(url);
}

/** Without our proxy, the addresses of the name are checked here, once. */
async function faultOf(url: string, { guard, checks }: TabDeps): Promise<string | undefined> {
  const fault = await guard.faultOf(url, "caller");
  const parsed = URL.parse(url);
  if (fault !== undefined || checks === "all" || !parsed) return fault;
  const judged = await guard.addressesOf(parsed);
  return judged.ok || !judged.isRefused ? undefined : judged.reason;
}

interface Shown {
  readonly isDownload?: boolean;
  readonly loaderId?: string;
  readonly errorText?: string;
}

const maxCommitMs = 2_000;
const maxAttempts = 3;

/** Errors of a request that the gate or the proxy refused. */
function isRefusal(errorText: string | undefined): boolean {
  return /ERR_BLOCKED_BY_CLIENT|ERR_TUNNEL_CONNECTION_FAILED/u.test(errorText ?? "");
}

function readable(errorText: string, url: string): string {
  const host = URL.parse(url)?.host || url;
  const reason = networkErrors[errorText];
  return reason === undefined ? `${host}: ${errorText}` : `${host} ${reason} (${errorText})`;
}

const networkErrors: Readonly<Record<string, string>> = {
  "net::ERR_TUNNEL_CONNECTION_FAILED": "cannot be reached",
  "net::ERR_CONNECTION_REFUSED": "refuses connections",
  "net::ERR_CONNECTION_CLOSED": "closed the connection",
  "net::ERR_EMPTY_RESPONSE": "sent nothing",
  "net::ERR_CERT_AUTHORITY_INVALID": "has an untrusted certificate",
  "net::ERR_CERT_DATE_INVALID": "has a certificate that has expired",
  "net::ERR_CERT_COMMON_NAME_INVALID": "has a certificate for another name",
  "net::ERR_TOO_MANY_REDIRECTS": "redirects without end",
  "net::ERR_ABORTED": "started a download or stopped the navigation",
  "net::ERR_TIMED_OUT": "did not answer in time",
  "net::ERR_PROXY_CONNECTION_FAILED": "cannot be reached: the guard of the browser has ended",
};

import type { Clock } from "../../base/clock.ts";
import { CdpError } from "../cdp/connection.ts";
import type { Tab } from "../sessions/tab.ts";
import { type FrameWorld, type FrameWorlds, WorldGone } from "./frame-worlds.ts";
import type { PageWalkLimits } from "./in-page/walk.ts";
import type { FrameTree } from "./text/page-tree.ts";

export interface Stillness {
  readonly isStill: boolean;
  /** Why the page is not still. */
  readonly note?: string;
  /** The main document at the moment when it was still, if a walker was given. */
  readonly walked?: WalkedDocument;
}

export interface WalkedDocument {
  readonly world: FrameWorld;
  readonly tree: FrameTree;
  /** Whether elements can have got listeners since `PageWalker.begin`. */
  readonly hasWaited: boolean;
  /** No element has a listener, because the document never had a script and nothing was done to it. */
  readonly isInert: boolean;
}

/** Reads the page once it is still, in the same call. */
export interface PageWalker {
  readonly limits: PageWalkLimits;
  /** The document is known, but can be loading. */
  prepare(world: FrameWorld): void;
  /** The wait in this document has begun. */
  begin(world: FrameWorld): void;
}

export interface StillnessOptions {
  readonly maxMs: number;
  /** The maximum after the page has loaded. Default: `maxMs`. */
  readonly maxLoadedMs?: number;
  readonly signal: AbortSignal;
  /** How long nothing must change. */
  readonly quietMs?: number;
  /** No recent action has a delayed effect, such as a click on a link. */
  readonly isUntouched?: boolean;
  readonly walker?: PageWalker;
}

/**
 * Waits until the page is still: its load event has fired, no request runs, and neither the network nor the document
 * changed for a moment. Requests that a loaded page sends again and again are ignored after `chatterMs`. Pages that
 * never become still get a note after the maximum.
 */
export async function waitForStillness(
  tab: Tab,
  worlds: FrameWorlds,
  clock: Clock,
  { maxMs, maxLoadedMs = maxMs, signal, quietMs = defaultQuietMs, isUntouched = false, walker }: StillnessOptions,
): Promise<Stillness> {
  let endAt = clock.elapsed() + maxMs;
  const left = () => endAt - clock.elapsed();
  let loadedAt: number | undefined;
  const isBusy = () => {
    if (tab.network.isLoading()) return true;
    if (loadedAt === undefined) {
      loadedAt = clock.elapsed();
      endAt = Math.min(endAt, loadedAt + maxLoadedMs);
    }
    return tab.network.pending() > 0 && clock.elapsed() - loadedAt < chatterMs;
  };
  for (;;) {
    // A dialog stops the scripts of a page, and would block the wait.
    if (signal.aborted || tab.crash !== undefined || tab.dialogs().length > 0) return { isStill: true };
    if (left() <= 0) return { isStill: false, note: busyNote(tab) };
    // A page that was only opened is asked while it loads: its answer waits for the load event and has the tree.
    const isEarly = isUntouched && tab.network.isLoading();
    if (isBusy() && !isEarly) {
      await nextChange(tab, clock, Math.min(left(), 250), signal);
      continue;
    }
    try {
      const world = await worlds.main();
      if (isEarly) walker?.prepare(world);
      const waitMs = Math.max(1, Math.min(left(), 1000));
      // The engine does not know when a worker or a socket will have a message.
      const isFed = tab.network.isFed();
      const navigations = tab.network.navigations();
      const minMs = isFed ? Math.max(quietMs, fedQuietMs) : quietMs;
      const args = [minMs, waitMs, isUntouched && !isFed, ...(walker ? [walker.limits] : [])];
      const settling = worlds.call(world, "still", args, waitMs + 2000 + (walker?.limits.ms ?? 0));
      // Scripts of a page that loads add listeners later.
      if (!isEarly) walker?.begin(world);
      const settled = await unlessStopped(settling, tab, clock);
      if (settled === undefined) continue;
      // The answer can be that of the document before, which arrived together with the news of the next one.
      if (tab.network.navigations() !== navigations) continue;
      const isInert = settled.isInert && isUntouched;
      // A request that has just begun means that the page is not still yet, unless nothing can use its answer.
      if (settled.isStill && (isInert || (!isBusy() && tab.network.isFed() === isFed))) {
        const { tree, hasWaited } = settled;
        return { isStill: true, ...(tree && { walked: { world, tree, hasWaited, isInert } }) };
      }
      if (isBusy()) await nextChange(tab, clock, Math.min(Math.max(1, left()), 250), signal);
      if (left() <= 0) return { isStill: false, note: "the page keeps changing" };
    } catch (thrown) {
      // A page whose scripts run without a pause, or on a busy machine, answers late: it is not still.
      const isLate = thrown instanceof CdpError && thrown.kind === "timeout";
      if (!isLate && !(thrown instanceof WorldGone)) throw thrown;
      await nextChange(tab, clock, 20, signal);
    }
  }
}

const defaultQuietMs = 60;
const chatterMs = 5000;
/** For pages with workers, sockets or event streams. */
const fedQuietMs = 200;

function busyNote(tab: Tab): string {
  const pending = tab.network.pending();
  if (tab.network.isLoading()) return "the page is still loading";
  return pending > 0 ? `the page is still loading (${pending} requests)` : "the page keeps changing";
}

/** The next change of the network, or the end of the time. */
function nextChange(tab: Tab, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer[Symbol.dispose]();
      listening[Symbol.dispose]();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.after(Math.max(1, ms), done);
    const listening = tab.network.onChange(done);
    signal.addEventListener("abort", done, { once: true });
  });
}

/**
 * Waits for work of a page, except while a dialog or a crash stops it: then the result is undefined, and the work
 * continues when the dialog is answered.
 */
export async function unlessStopped<T>(work: Promise<T>, tab: Tab, clock: Clock): Promise<T | undefined> {
  const state = { isOver: false };
  const watch = async (): Promise<undefined> => {
    while (!state.isOver && tab.dialogs().length === 0 && tab.crash === undefined)
      await new Promise<void>((resolve) => void clock.after(20, resolve));
    return undefined;
  };
  try {
    return await Promise.race([work, watch()]);
  } finally {
    state.isOver = true;
    work.catch(() => undefined);
  }
}

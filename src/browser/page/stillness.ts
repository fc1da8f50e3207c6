import type { Clock } from "../../base/clock.ts";
import type { Tab } from "../sessions/tab.ts";
import { type FrameWorlds, WorldGone } from "./frame-worlds.ts";

export interface Stillness {
  readonly isStill: boolean;
  /** Why the page is not still. */
  readonly note?: string;
}

export interface StillnessWishes {
  readonly maxMs: number;
  readonly signal: AbortSignal;
  /** How long nothing must change. */
  readonly quietMs?: number;
  /** No recent action has a delayed effect, such as a click on a link. */
  readonly isUntouched?: boolean;
}

/**
 * Waits until the page is still: its load event has fired, no request runs, and neither the network nor the document
 * changed for a moment. Pages that never become still get a note after the maximum.
 */
export async function waitForStillness(
  tab: Tab,
  worlds: FrameWorlds,
  clock: Clock,
  { maxMs, signal, quietMs = defaultQuietMs, isUntouched = false }: StillnessWishes,
): Promise<Stillness> {
  const endAt = clock.elapsed() + maxMs;
  const left = () => endAt - clock.elapsed();
  const isBusy = () => tab.network.isLoading() || tab.network.pending() > 0;
  // Ready when the page has loaded.
  if (isBusy()) void worlds.main().catch(() => undefined);
  for (;;) {
    // A dialog stops the scripts of a page, and would block the wait.
    if (signal.aborted || tab.crash !== undefined || tab.dialogs().length > 0) return { isStill: true };
    if (left() <= 0) return { isStill: false, note: busyNote(tab) };
    if (isBusy()) {
      await nextChange(tab, clock, Math.min(left(), 250), signal);
      continue;
    }
    try {
      const world = await worlds.main();
      const waitMs = Math.max(1, Math.min(left(), 1000));
      const settling = worlds.call(world, "still", [quietMs, waitMs, isUntouched], waitMs + 2000);
      const settled = await unlessStopped(settling, tab, clock);
      if (settled === undefined) continue;
      // A request that has just begun means that the page is not still yet.
      if (settled.isStill && !isBusy()) return { isStill: true };
      if (left() <= 0) return { isStill: false, note: "the page keeps changing" };
    } catch (thrown) {
      if (!(thrown instanceof WorldGone)) throw thrown;
      await nextChange(tab, clock, 20, signal);
    }
  }
}

const defaultQuietMs = 60;

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

import { once } from "../../../../base/async/once.ts";
import type { Clock } from "../../../../base/clock.ts";

/** One row of the completion menu. */
export interface Completion {
  /** Shown first. Untrusted. */
  readonly label: string;
  /** Shown dimmed after it: a summary, a size. Untrusted. */
  readonly detail?: string;
  /** Replaces the text from `Completions.from` to the cursor. */
  readonly insert: string;
  /** True: Enter on this row also sends, because nothing can follow. */
  readonly isWhole?: boolean;
}

export interface Completions {
  /** The offset at which the completed word starts. */
  readonly from: number;
  readonly items: readonly Completion[];
  /** Shown below the rows: how to write the arguments of a command. */
  readonly help?: string;
  /** True: Enter accepts the first row although the user did not move to it. */
  readonly takesFirst?: boolean;
}

/** Proposes texts for the word before the cursor. */
export interface Completer {
  /** Proposals that are available at once. Undefined: there are none here. */
  now(before: string): Completions | undefined;
  /** More from slow sources: files, servers. Replaces the proposals of `now`. */
  later?(before: string, signal: AbortSignal): Promise<Completions | undefined>;
}

export interface CompletionMenu extends Disposable {
  readonly current: Completions | undefined;
  /** The selected row; -1 until the user moves, unless the first row is preselected. */
  readonly index: number;
  /** True: the person moved to a row. */
  readonly isChosen: boolean;
  /** The text before the cursor changed. */
  update(before: string): void;
  /** True: slow sources have not answered, and the rows are those of an earlier text. */
  readonly isAsking: boolean;
  /** Queries slow sources at once, unless that is already running, and resolves when they have answered. */
  settle(then: () => void): void;
  move(step: 1 | -1): void;
  close(): void;
  use(completer: Completer): void;
}

/** Slow sources are queried when the user pauses. */
const pauseMs = 60;

export function createCompletionMenu(clock: Clock, redraw: () => void): CompletionMenu {
  let completer: Completer | undefined;
  let current: Completions | undefined;
  let index = 0;
  let isChosen = false;
  let waiting: Disposable | undefined;
  let asking: AbortController | undefined;
  let askNow: (() => Promise<void>) | undefined;
  let isEarlier = false;

  function cancel(): void {
    waiting?.[Symbol.dispose]();
    waiting = undefined;
    asking?.abort();
    asking = undefined;
    askNow = undefined;
  }

  function show(next: Completions | undefined): void {
    const chosen = isChosen ? current?.items[index]?.label : undefined;
    current = next && (next.items.length > 0 || next.help !== undefined) ? next : undefined;
    // A row that the user selected stays selected when more rows arrive.
    const again = chosen === undefined ? -1 : (current?.items.findIndex(({ label }) => label === chosen) ?? -1);
    index = Math.max(0, again);
    isChosen = again >= 0;
  }

  async function askLater(used: Completer, before: string, signal: AbortSignal): Promise<void> {
    const more = await used.later?.(before, signal).catch(() => undefined);
    // An answer for a text that has changed meanwhile is dropped.
    if (signal.aborted) return;
    askNow = undefined;
    show(more ?? used.now(before));
    redraw();
  }

  return {
    get current() {
      return current;
    },
    get index() {
      return index;
    },
    get isChosen() {
      return isChosen;
    },
    update(before) {
      cancel();
      isChosen = false;
      const used = completer;
      if (!used) return show(undefined);
      const next = used.now(before);
      isEarlier = next?.items.length === 0 && used.later !== undefined;
      const kept = isEarlier && current?.from === next?.from ? current?.items : undefined;
      // Rows stay until the new ones arrive, so that the menu does not flicker.
      show(next && kept ? { ...next, items: kept, takesFirst: false } : next);
      if (!used.later) return undefined;
      const stop = new AbortController();
      asking = stop;
      const ask = once(() => askLater(used, before, stop.signal));
      askNow = ask;
      waiting = clock.after(pauseMs, () => void ask());
      return undefined;
    },
    get isAsking() {
      return isEarlier && askNow !== undefined;
    },
    settle(then) {
      const ask = askNow;
      if (!ask) return then();
      const { signal } = asking ?? new AbortController();
      return void ask().finally(() => {
        if (!signal.aborted) then();
      });
    },
    move(step) {
      const count = current?.items.length ?? 0;
      if (count === 0) return;
      index = isChosen || current?.takesFirst || step < 0 ? (index + step + count) % count : 0;
      isChosen = true;
    },
    close() {
      cancel();
      current = undefined;
      isChosen = false;
    },
    use(next) {
      completer = next;
    },
    [Symbol.dispose]: cancel,
  };
}

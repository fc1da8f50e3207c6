import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { BrowserAnswer } from "../../contracts/web/browser.ts";
import type { Tab } from "../sessions/tab.ts";
import { createFields, type Fields } from "./fields.ts";
import { createTabReader, type TabReader, type PageTree } from "./page-reader.ts";
import { createPointing, type Pointing } from "./pointing.ts";
import { readRef } from "./ref-table.ts";
import { type StillnessOptions, waitForStillness, type WalkedDocument } from "./stillness.ts";
import { actionAnswer, compactText, countRefs, fullText, pageLine } from "./text/page-report.ts";
import { createSeenParts } from "./text/seen-parts.ts";

/** One tab, the state of it that the model saw last, and the actions on it. */
export interface PageSession {
  readonly tab: Tab;
  readonly reader: TabReader;
  readonly pointing: Pointing;
  readonly fields: Fields;
  /** Waits until the page is still and reports the changes of an action. */
  report(done: string, signal: AbortSignal, more?: ReportMore): Promise<BrowserAnswer>;
  /** Undefined if there is no such element. */
  snapshot(
    wish: { readonly isFull: boolean; readonly ref?: string; readonly offset?: number },
    signal: AbortSignal,
  ): Promise<BrowserAnswer | undefined>;
}

export interface PageSessionDeps {
  readonly clock: Clock;
  /** Sentences for the model since the last call. */
  readonly takeNotices: () => readonly string[];
}

export interface ReportMore {
  readonly maxMs?: number;
  /** How long the page must not change before it counts as still. */
  readonly quietMs?: number;
  /** True if no action preceded, because the page was only opened. */
  readonly isUntouched?: boolean;
  /** True if the action returned to an earlier page. */
  readonly isReturn?: boolean;
  readonly notes?: readonly string[];
  readonly data?: JsonObject;
}

export function createPageSession(tab: Tab, { clock, takeNotices }: PageSessionDeps): PageSession {
  const reader = createTabReader(tab, clock);
  const pointing = createPointing(tab, reader, clock);
  const fields = createFields(tab, reader.worlds, pointing);
  const parts = createSeenParts();
  let last: PageTree | undefined;

  function show(tree: PageTree): void {
    last = tree;
    parts.note(tree);
  }

  /** A page behind a dialog and a crashed page cannot be read. */
  function standstill(): string | undefined {
    if (tab.crash !== undefined) return `The page crashed: ${tab.crash}. browser_navigate opens it again.`;
    const [dialog] = tab.dialogs();
    if (!dialog) return undefined;
    const input = dialog.defaultText === undefined ? "" : ` (input: ${JSON.stringify(dialog.defaultText)})`;
    return `A ${dialog.type} dialog is open and the page waits: ${JSON.stringify(dialog.message.slice(0, 500))}${input}. Answer it with browser_dialog (id ${dialog.id}).`;
  }

  async function settled(wishes: StillnessOptions): Promise<SettledPage> {
    const { note, walked } = await waitForStillness(tab, reader.worlds, clock, { ...wishes, walker: reader.walker });
    const notes = [...(note === undefined ? [] : [`${note}; this is its state so far`]), ...takeNotices()];
    return { notes, walked };
  }

  return {
    tab,
    reader,
    pointing,
    fields,
    async report(done, signal, more = {}) {
      const { maxMs = actionMs, quietMs, isUntouched = false, isReturn = false, notes = [], data } = more;
      const wishes = {
        signal,
        maxMs,
        maxLoadedMs: Math.min(maxMs, actionMs),
        isUntouched,
        ...(quietMs !== undefined && { quietMs }),
      };
      const { notes: seen, walked } = await settled(wishes);
      const stopped = standstill();
      if (stopped !== undefined) {
        const text = [done, ...[...notes, ...seen].map((note) => `Note: ${note}`), stopped].filter(Boolean).join("\n");
        return { text, data: { success: true, url: tab.url, dialog: stopped, ...data } };
      }
      const after = await reader.read({ walked, isShown: true });
      const condensed = () => parts.condensed(after, isReturn);
      const texts = { done, notes: [...notes, ...seen] };
      const answer = actionAnswer({ ...texts, before: last, after, condensed, ...(data && { data }) });
      show(after);
      return answer;
    },
    async snapshot({ isFull, ref, offset }, signal) {
      const { notes: seen, walked } = await settled({ signal, maxMs: snapshotMs, isUntouched: true });
      const notes = seen.map((note) => `Note: ${note}`);
      const stopped = standstill();
      if (stopped !== undefined) return { text: stopped, data: { success: true, url: tab.url, dialog: stopped } };
      const tree = await reader.read({ walked, isShown: true });
      const number = ref === undefined ? undefined : readRef(ref);
      if (ref !== undefined && number === undefined) return undefined;
      const snapshot = isFull || number !== undefined ? fullText(tree, number, offset) : compactText(tree);
      if (snapshot === undefined) return undefined;
      show(tree);
      return {
        text: [pageLine(tree), ...notes, snapshot].join("\n"),
        data: { success: true, url: tree.url, title: tree.title, snapshot, element_count: countRefs(tree.items) },
      };
    },
  };
}

interface SettledPage {
  /** Sentences for the model. */
  readonly notes: readonly string[];
  readonly walked: WalkedDocument | undefined;
}

/** How long an action, and a page that has loaded, waits to become still. */
const actionMs = 8000;
const snapshotMs = 3000;

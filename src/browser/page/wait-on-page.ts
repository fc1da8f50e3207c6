import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { BrowserAnswer, BrowserFault, BrowserRequest, WaitCondition } from "../../contracts/web/browser.ts";
import type { PageSession } from "./page-session.ts";
import { readRef } from "./ref-table.ts";
import { waitForStillness } from "./stillness.ts";
import type { PageItem } from "./text/page-tree.ts";

/** Waits for a condition of the page, at most as long as the request says. */
export async function waitOnPage(
  session: PageSession,
  { until, timeoutMs }: Extract<BrowserRequest, { readonly do: "wait" }>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Result<BrowserAnswer, BrowserFault>> {
  const endAt = clock.elapsed() + timeoutMs;
  const report = (done: string) =>
    session.report(done, signal, { maxMs: Math.max(200, Math.min(2000, endAt - clock.elapsed())) });
  if (until.for === "still") {
    const { isStill } = await waitForStillness(session.tab, session.reader.worlds, clock, {
      maxMs: timeoutMs,
      signal,
      quietMs: 500,
    });
    return ok(await report(isStill ? "The page is still." : "The page did not become still."));
  }
  const words = conditionWords(until);
  for (;;) {
    if (session.tab.dialogs().length > 0) return ok(await report("A dialog opened while waiting."));
    if (await isMet(session, until)) return ok(await report(`Now ${words}.`));
    if (clock.elapsed() >= endAt || signal.aborted) break;
    await new Promise<void>((resolve) => void clock.after(pollMs, resolve));
  }
  const now = await report("");
  return err({
    kind: "timeout",
    message: `Waited ${Math.round(timeoutMs / 1000)} s, and it is still not true that ${words}.\n${now.text}`,
  });
}

const pollMs = 100;

async function isMet({ tab, reader }: PageSession, until: Exclude<WaitCondition, { for: "still" }>): Promise<boolean> {
  switch (until.for) {
    case "url":
      return tab.url.includes(until.part);
    case "gone": {
      const number = readRef(until.ref);
      return number === undefined || !hasRef((await reader.read()).items, number);
    }
    case "text":
      return hasText((await reader.read()).items, until.text.toLowerCase());
    case "text_gone":
      return !hasText((await reader.read()).items, until.text.toLowerCase());
  }
}

function conditionWords(until: Exclude<WaitCondition, { for: "still" }>): string {
  switch (until.for) {
    case "url":
      return `the address contains ${JSON.stringify(until.part)}`;
    case "gone":
      return `${until.ref} is gone`;
    case "text":
      return `the page shows ${JSON.stringify(until.text)}`;
    case "text_gone":
      return `the page no longer shows ${JSON.stringify(until.text)}`;
  }
}

function hasText(items: readonly PageItem[], lower: string): boolean {
  return items.some((item) =>
    typeof item === "string"
      ? item.toLowerCase().includes(lower)
      : item.name?.toLowerCase().includes(lower) === true ||
        item.value?.toLowerCase().includes(lower) === true ||
        hasText(item.items ?? [], lower),
  );
}

function hasRef(items: readonly PageItem[], ref: number): boolean {
  return items.some((item) => typeof item !== "string" && (item.ref === ref || hasRef(item.items ?? [], ref)));
}

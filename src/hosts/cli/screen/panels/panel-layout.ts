import type { Clock } from "../../../../base/clock.ts";
import { textWidth } from "../../../../base/text/text-width.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { fit } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";
import type { KeyPress, Theme, ThemeRole } from "../parts.ts";

/** `── title ──────── note ──`, as wide as the panel. */
export function titleLine(
  theme: Theme,
  title: string,
  note: string,
  columns: number,
  role: ThemeRole = "title",
): string {
  const right = note === "" || columns < 50 ? "" : ` ${fit(note, Math.floor(columns / 3))} `;
  const shown = fit(oneLine(withoutControls(title), 500), Math.max(1, columns - textWidth(right) - 6));
  const rest = Math.max(0, columns - textWidth(shown) - textWidth(right) - 5);
  const rule = (count: number) => theme.paintAs("border", "─".repeat(count));
  return fit(
    `${rule(2)} ${theme.paintAs(role, shown)} ${rule(right === "" ? rest : Math.max(0, rest - 1))}${theme.paintAs("dim", right)}${right === "" ? "" : rule(1)}`,
    columns,
  );
}

/** A scrollable view of lines. */
export interface ScrollView {
  /** The visible rows, at most `rows`. Keeps the position within the lines. */
  visible(lines: readonly string[], rows: number): readonly string[];
  /** Lines above and below the visible ones at the last draw. */
  readonly hidden: { readonly above: number; readonly below: number };
  scrollTo(line: number): void;
  /** Handles page keys, and with `arrows` also the arrows, Home and End. False: another key. */
  press(key: KeyPress, arrows?: boolean): boolean;
}

export function createScrollView(): ScrollView {
  let from = 0;
  let height = 1;
  let hidden = { above: 0, below: 0 };
  const steps: Readonly<Record<string, () => number>> = {
    pageup: () => -Math.max(1, height - 1),
    pagedown: () => Math.max(1, height - 1),
    "shift+up": () => -1,
    "shift+down": () => 1,
  };
  const arrowSteps: Readonly<Record<string, () => number>> = {
    up: () => -1,
    down: () => 1,
    home: () => -Infinity,
    end: () => Infinity,
  };
  return {
    get hidden() {
      return hidden;
    },
    visible(lines, rows) {
      height = Math.max(1, rows);
      from = Math.min(Math.max(0, from), Math.max(0, lines.length - height));
      hidden = { above: from, below: Math.max(0, lines.length - from - height) };
      return lines.slice(from, from + height);
    },
    scrollTo(line) {
      from = line;
    },
    press({ chord }, arrows = false) {
      const step = steps[chord] ?? (arrows ? arrowSteps[chord] : undefined);
      if (!step) return false;
      // Limits the position to a finite number, because later steps could not change an infinite one.
      from = Math.min(Math.max(-1, from + step()), Number.MAX_SAFE_INTEGER);
      return true;
    },
  };
}

/** A row of a list; the current one has a mark. */
export function listRow(theme: Theme, text: string, isCurrent: boolean, columns: number): string {
  const row = fit(`${isCurrent ? "❯" : " "} ${text}`, columns);
  return isCurrent ? theme.paintAs("menuCurrent", row) : row;
}

/** Redraws a countdown, more often near its end. */
export function startCountdown(
  { clock, redraw }: { readonly clock: Clock; redraw(): void },
  leftMs: () => number,
): Disposable {
  let timer: Disposable | undefined;
  const next = () => {
    if (leftMs() <= 0) return;
    timer = clock.after(leftMs() > 90_000 ? 15_000 : 1_000, () => {
      redraw();
      next();
    });
  };
  next();
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}

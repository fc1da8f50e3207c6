import { textWidth } from "../../../../base/text/text-width.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { fit } from "../../table.ts";
import type { Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";

export type Indicator = "kaomoji" | "emoji" | "unicode" | "ascii";

export interface WorkingFacts {
  readonly indicator: Indicator;
  readonly isThinking: boolean;
  /** True: the answer has started, and then stopped. */
  readonly isStalled?: boolean;
  readonly model: string;
  readonly elapsedMs: number;
}

/** One line while the model works: a slow indicator, a verb and the elapsed seconds. */
export function workingLine(
  facts: WorkingFacts,
  theme: Theme,
  texts: ScreenTexts["transcript"],
  columns: number,
): string {
  const { elapsedMs, isThinking, isStalled = false, model } = facts;
  const step = Math.floor(elapsedMs / indicatorMs);
  const sign = signOf(facts, step, theme);
  const verb = isThinking
    ? texts.thinking
    : (theme.spinner.verbs[Math.floor(step / 2) % theme.spinner.verbs.length] ?? "");
  const what = isStalled || (elapsedMs >= slowMs && !isThinking) ? texts.waiting(escapeInvisible(model)) : verb;
  const head = `${sign} ${what} … ${Math.floor(elapsedMs / 1_000)} s`;
  const hint = ` · ${texts.interrupts}`;
  const text = (isStalled || elapsedMs >= slowMs) && textWidth(head + hint) <= columns ? head + hint : head;
  return theme.paintAs("dim", fit(text, columns));
}

/** How long each indicator is shown: long enough not to distract. */
export const indicatorMs = 2_500;
const slowMs = 15_000;

function signOf({ indicator, isThinking }: WorkingFacts, step: number, theme: Theme): string {
  const signs =
    indicator === "kaomoji" ? theme.spinner[isThinking ? "thinkingFaces" : "waitingFaces"] : steps[indicator];
  return signs[step % Math.max(1, signs.length)] ?? "…";
}

const steps = {
  emoji: ["🌑", "🌒", "🌓", "🌔", "🌕", "🌖", "🌗", "🌘"],
  unicode: ["◐", "◓", "◑", "◒"],
  ascii: ["|", "/", "-", "\\"],
} as const;

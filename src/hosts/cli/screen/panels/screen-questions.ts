import type { Clock } from "../../../../base/clock.ts";
import { oneLine } from "../../../../base/text/text.ts";
import {
  type Answer,
  type ApprovalQuestion,
  type ApprovalSurface,
  QuestionSettled,
} from "../../../../contracts/safety/approval.ts";
import type { TryRule } from "../../choose-rules.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { PanelStack, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { createApprovalPanel } from "./approval-panel.ts";

export interface ScreenQuestionParts {
  readonly panels: PanelStack;
  readonly theme: Theme;
  readonly texts: ScreenTexts;
  readonly clock: Clock;
  readonly tryRule: TryRule;
  /** Prints a painted line in the conversation. */
  note(line: string): void;
}

/** The questions of a session, asked in panels. */
export interface ScreenQuestions {
  readonly approvals: ApprovalSurface;
}

export function screenQuestions(parts: ScreenQuestionParts): ScreenQuestions {
  const { panels, theme, note } = parts;
  const texts = parts.texts.panels.approval;

  async function approve(question: ApprovalQuestion, signal: AbortSignal): Promise<Answer | undefined> {
    const answer = await panels.open<Answer>(
      (close, redraw) => createApprovalPanel({ ...parts, question, signal, close, redraw }),
      signal,
    );
    const call = theme.dim(oneLine(escapeInvisible(question.text), maxCallChars));
    if (answer) note(`${answerNote(answer)} ${call}`);
    else if (signal.reason instanceof QuestionSettled) note(`${settledNote(signal.reason)} ${call}`);
    return answer;
  }

  function answerNote(answer: Answer): string {
    if (answer.scope !== "deny") return theme.good(`✓ ${texts.allowed[answer.scope]}:`);
    return theme.warn(`✗ ${answer.reason === undefined ? texts.denied : texts.deniedWithReason}:`);
  }

  function settledNote({ outcome }: QuestionSettled): string {
    if (outcome?.how === "answered") {
      const { by, answer } = outcome;
      const what = answer.scope === "deny" ? texts.denied : texts.allowed[answer.scope];
      return theme.dim(`${texts.answeredElsewhere(escapeInvisible(by))}: ${what}:`);
    }
    return theme.warn(`${outcome?.how === "timeout" ? texts.timedOut : texts.withdrawn}:`);
  }

  return { approvals: { name: "the terminal", ask: approve } };
}

const maxCallChars = 120;

import type { Clock } from "../../../../base/clock.ts";
import type { CallId } from "../../../../base/ids.ts";
import { err, ok } from "../../../../base/result.ts";
import { oneLine } from "../../../../base/text/text.ts";
import {
  type Answer,
  type ApprovalQuestion,
  type PendingApproval,
  QuestionSettled,
} from "../../../../contracts/safety/approval.ts";
import type { ChatQuestions } from "../../chat/chat-questions.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { TryRule } from "../../questions/choose-rules.ts";
import type { KeyPress, PanelStack, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { translateReply } from "../texts/translate-reply.ts";
import { createApprovalPanel } from "./approval-panel.ts";
import { createConfirmPanel } from "./confirm-panel.ts";
import { createFormPanel, type FormOutcome } from "./form-panel.ts";
import { createQuestionPanel } from "./question-panel.ts";
import { createSecretPanel } from "./secret-panel.ts";

export interface ScreenQuestionParts {
  readonly panels: PanelStack;
  theme(): Theme;
  readonly texts: ScreenTexts;
  readonly clock: Clock;
  readonly tryRule: TryRule;
  /** Prints a painted line in the conversation. */
  note(line: string): void;
  /** Returns whether a call gets a line with its outcome, so that a denial needs no note. */
  willShowCall?(id: CallId): boolean;
  /** The input line: an optional question does not interrupt it. */
  readonly draft?: { isEmpty(): boolean; press(key: KeyPress): void };
  /** Turns off the confirmation of commands that leave or undo history. */
  readonly stopConfirming?: (signal: AbortSignal) => Promise<void>;
}

/** `callId`: the call that waits for the answer. */
type ShownQuestion = ApprovalQuestion & Partial<Pick<PendingApproval, "callId">>;

/** The questions of a session, asked in panels. */
export interface ScreenQuestions extends ChatQuestions {
  /** Asks before a slash command leaves or undoes history: yes once, yes always, or no. */
  confirmCommand(question: string, signal: AbortSignal): Promise<boolean>;
}

export function screenQuestions(parts: ScreenQuestionParts): ScreenQuestions {
  const { panels, note, draft } = parts;
  const { approval: texts, choices, form: formTexts, secret: secretTexts, confirm: confirmTexts } = parts.texts.panels;
  let isConfirming = true;
  /** The common parts of every panel, with the current colours. */
  const now = () => ({ ...parts, theme: parts.theme() });

  async function approve(question: ShownQuestion, signal: AbortSignal): Promise<Answer | undefined> {
    const answer = await panels.open<Answer>(
      (close, redraw) =>
        createApprovalPanel({
          ...now(),
          question,
          signal,
          close,
          redraw,
          ...(draft && { typeElsewhere: draft.press }),
        }),
      signal,
    );
    const call = parts.theme().dim(oneLine(escapeInvisible(question.text), maxNoteChars));
    const outcome = signal.reason instanceof QuestionSettled ? signal.reason.outcome : undefined;
    const isDenied = answer ? answer.scope === "deny" : outcome?.how === "timeout";
    if (isDenied && question.callId !== undefined && parts.willShowCall?.(question.callId)) return answer;
    if (answer) note(`${answerNote(answer)} ${call}`);
    else if (signal.reason instanceof QuestionSettled) note(`${settledNote(signal.reason)} ${call}`);
    return answer;
  }

  function answerNote(answer: Answer): string {
    if (answer.scope !== "deny") return parts.theme().good(`✓ ${texts.allowed[answer.scope]}:`);
    return parts.theme().warn(`✗ ${answer.reason === undefined ? texts.denied : texts.deniedWithReason}:`);
  }

  function settledNote({ outcome }: QuestionSettled): string {
    if (outcome?.how === "answered") {
      const { by, answer } = outcome;
      const what = answer.scope === "deny" ? texts.denied : texts.allowed[answer.scope];
      return parts.theme().dim(`${texts.answeredElsewhere(escapeInvisible(by))}: ${what}:`);
    }
    return parts.theme().warn(`${outcome?.how === "timeout" ? texts.timedOut : texts.withdrawn}:`);
  }

  /** The note for a question that ended without an answer. */
  function withdrawnNote(signal: AbortSignal): void {
    const { reason }: { readonly reason: unknown } = signal;
    const isTimeout = reason instanceof DOMException && reason.name === "TimeoutError";
    note(parts.theme().warn(isTimeout ? choices.timedOut : choices.withdrawn));
  }

  async function choose<Value>(
    question: string,
    options: readonly { readonly value: Value; readonly key: string; readonly title: string }[],
    signal: AbortSignal,
  ): Promise<Value | undefined> {
    const { title, hint } = confirmTexts;
    return panels.open<Value>(
      (close, redraw) =>
        createConfirmPanel({
          title,
          hint,
          text: translateReply(question, parts.texts.replies),
          options,
          theme: parts.theme(),
          close,
          redraw,
        }),
      signal,
    );
  }

  return {
    approvals: { name: "the terminal", ask: approve },
    asker: {
      approve,
      async ask(question, signal) {
        if (question.isOptional && draft?.isEmpty() === false) return err({ reason: "declined" });
        const answer = await panels.open<readonly string[] | "declined">(
          (close, redraw) =>
            createQuestionPanel({ ...now(), question, close, redraw, ...(draft && { typeElsewhere: draft.press }) }),
          signal,
        );
        if (answer === undefined) {
          if (!question.isOptional) withdrawnNote(signal);
          return err({ reason: "aborted" });
        }
        if (answer === "declined") {
          if (!question.isOptional) note(parts.theme().dim(`✗ ${choices.declined}`));
          return err({ reason: "declined" });
        }
        const shown = answer.map((each) => oneLine(escapeInvisible(each), maxNoteChars)).join(", ");
        note(`${parts.theme().dim(`${choices.answered}:`)} ${shown}`);
        return ok(answer);
      },
      async fillIn(form, signal) {
        const from = escapeInvisible(oneLine(form.from, maxNoteChars));
        const outcome = await panels.open<FormOutcome>(
          (close, redraw) => createFormPanel({ ...now(), form, close, redraw }),
          signal,
        );
        if (!outcome) withdrawnNote(signal);
        else if (outcome.ok) note(parts.theme().dim(`✓ ${formTexts.sent(from)}`));
        else note(parts.theme().dim(`✗ ${formTexts[outcome.error.reason](from)}`));
        return outcome ?? err({ reason: "aborted" });
      },
    },
    secrets: {
      async askSecret(name, prompt, signal) {
        const secret = await panels.open<string>(
          (close, redraw) => createSecretPanel({ ...now(), name, prompt, close, redraw }),
          signal,
        );
        if (secret === undefined) return err({ reason: "aborted" });
        const { saved, declined } = secretTexts;
        note(
          parts
            .theme()
            .dim(secret === "" ? `✗ ${declined(escapeInvisible(name))}` : `✓ ${saved(escapeInvisible(name))}`),
        );
        return secret === "" ? err({ reason: "declined" }) : ok(secret);
      },
    },
    async confirm(question, signal) {
      const { yes, no } = confirmTexts;
      const options = [
        { value: true, key: "y", title: yes },
        { value: false, key: "n", title: no },
      ];
      return (await choose(question, options, signal)) ?? false;
    },
    async confirmCommand(question, signal) {
      if (!isConfirming) return true;
      const { stopConfirming } = parts;
      const answer = await choose<"once" | "always" | "cancel">(
        question,
        [
          { value: "once", key: "o", title: confirmTexts.once },
          ...(stopConfirming ? [{ value: "always" as const, key: "a", title: confirmTexts.always }] : []),
          { value: "cancel", key: "c", title: confirmTexts.cancel },
        ],
        signal,
      );
      if (answer === "always" && stopConfirming) {
        await stopConfirming(signal);
        isConfirming = false;
        note(parts.theme().dim(confirmTexts.notAskedAgain));
      }
      return answer === "once" || answer === "always";
    },
  };
}

const maxNoteChars = 120;

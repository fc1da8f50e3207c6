import { err, ok } from "../../../base/result.ts";
import { oneLine } from "../../../base/text/text.ts";
import { durationText } from "../../../base/text/time-text.ts";
import { isCommandLine } from "../../../commands/resolve-command.ts";
import type { Asker, SecretAsker } from "../../../contracts/host/ports.ts";
import {
  answerHint,
  type Choice,
  numberedChoices,
  type PersonQuestion,
  typedAnswer,
} from "../../../contracts/host/question.ts";
import type { Answer, ApprovalQuestion, ApprovalSurface } from "../../../contracts/safety/approval.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import type { Paint } from "../paint.ts";
import { askInForm, type QuestionDialog } from "../questions/approval-form.ts";
import type { TryRule } from "../questions/choose-rules.ts";
import { wrap } from "../table.ts";
import { fillInForm, type FormDialog } from "./fill-form.ts";
import { type ChoiceMenu, createChoiceMenu } from "./typing/choice-menu.ts";
import type { LineEditor } from "./typing/line-editor.ts";

/** The questions of a conversation. Each one is asked on a line of its own. */
export interface ChatQuestions {
  readonly approvals: ApprovalSurface;
  readonly asker: Asker;
  readonly secrets: SecretAsker;
  /**
   * Asks for confirmation. Any answer except yes counts as no. A slash command runs, and the question is repeated;
   * other text is sent as a prompt.
   */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
}

/** `onLine`: receives a line typed at a question that does not answer it. */
export function chatQuestions(
  editor: () => LineEditor,
  paint: Paint,
  onLine: (line: string) => Promise<void> | void,
  tryRule: TryRule,
  /** `hasMenus`: false if the terminal cannot redraw, so that questions are plain lists. */
  { columns, rows, hasMenus }: QuestionScreen = { columns: () => Infinity, rows: () => Infinity, hasMenus: true },
): ChatQuestions {
  async function approve(question: ApprovalQuestion, signal: AbortSignal): Promise<Answer | undefined> {
    const dialog: QuestionDialog = {
      paint,
      columns,
      tryRule,
      ask: (line) => editor().ask(line, signal),
      say: (sentence) => editor().print(`${sentence}\n`),
      async answer({ text, prompt, reply }) {
        const confirm = (typed: string) => (isCommandLine(typed) ? "" : reply(typed));
        const line = await editor().ask({ text, prompt, reply: confirm }, signal);
        if (!isCommandLine(line)) return line;
        await onLine(line);
        return undefined;
      },
    };
    try {
      return await askInForm(question, dialog, signal);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      return undefined;
    }
  }

  return {
    approvals: { name: "the terminal", ask: approve },
    asker: {
      approve,
      async ask(question, signal) {
        const { choices = [], hasSeveral = false, allowsText = true, isOptional = false } = question;
        let isFollowUp = false;
        for (let text = questionHead(question, paint, columns()); ;) {
          const menu = hasMenus
            ? createChoiceMenu({ choices, hasSeveral, allowsText, canBeEmpty: isOptional, paint, columns, rows })
            : undefined;
          const line = await editor()
            .ask({ ...lineQuestion(question, text, menu, paint), isOptional, isFollowUp }, signal)
            .catch(() => undefined);
          if (line === undefined) return err({ reason: "aborted" });
          const answer = menu ? menuAnswer(menu, choices) : lineAnswer(question, line);
          const words = answer?.ok ? answer.value.filter((each) => !choices.some(({ label }) => label === each)) : [];
          if (answer === undefined || (isOptional && !answer.ok)) return err({ reason: "declined" });
          isFollowUp = true;
          if (!answer.ok) text = answer.error;
          else if (words.length === 0 || !(isOptional || isCommandLine(line))) return answer;
          else if (isOptional) {
            void onLine(line);
            return err({ reason: "declined" });
          } else await onLine(line);
        }
      },
      async fillIn(form, signal) {
        let isFollowUp = false;
        const dialog: FormDialog = {
          paint,
          columns,
          rows,
          hasMenus,
          async answer(question) {
            const line = await editor().ask({ ...question, isFollowUp }, signal);
            isFollowUp = true;
            if (!isCommandLine(line) || /^\s*\/(?:decline|cancel)\s*$/u.test(line)) return line;
            await onLine(line);
            return undefined;
          },
        };
        return fillInForm(form, dialog).catch(() => err({ reason: "aborted" as const }));
      },
    },
    secrets: {
      async askSecret(_name, prompt, signal) {
        const line = await editor()
          .ask({ text: "", prompt: `${escapeInvisible(prompt)}: `, isHidden: true }, signal)
          .catch(() => undefined);
        if (line === undefined) return err({ reason: "aborted" });
        return line === "" ? err({ reason: "declined" }) : ok(line);
      },
    },
    async confirm(question, signal) {
      for (;;) {
        const line = await editor().ask({ text: "", prompt: `${question} [y/N] ` }, signal);
        if (isCommandLine(line)) await onLine(line);
        else {
          if (!/^\s*(?:|y|yes|n|no)\s*$/iu.test(line)) void onLine(line);
          return /^y(?:es)?$/iu.test(line.trim());
        }
      }
    },
  };
}

/** The screen that questions are drawn on. */
export interface QuestionScreen {
  columns(): number;
  rows(): number;
  readonly hasMenus: boolean;
}

/**
 * The text above the choices. Every line of untrusted text starts with a border, so that none can imitate a question.
 */
function questionHead({ from, text, timeoutMs }: PersonQuestion, paint: Paint, columns: number): string {
  if (from === undefined) return `\n${wrap(escapeInvisible(text), columns)}`;
  const lines = text.split("\n").flatMap((line) => wrap(escapeInvisible(line), columns - 4).split("\n"));
  const until = timeoutMs === undefined ? "" : paint.dim(` (waits ${durationText(timeoutMs)})`);
  return [
    `\n${paint.warn("Question")} from ${escapeInvisible(from)}:${until}`,
    "",
    ...lines.map((line) => `  ${paint.dim("│")} ${line}`),
    "",
  ].join("\n");
}

/** The question for the input line: with a menu, or as a numbered list. */
function lineQuestion(question: PersonQuestion, text: string, menu: ChoiceMenu | undefined, paint: Paint) {
  const { choices = [] } = question;
  if (menu) {
    const reply = () => {
      const answer = menuAnswer(menu, choices);
      const chosen = answer ? answer.value.map((each) => oneLine(escapeInvisible(each), maxReplyChars)).join(", ") : "";
      if (chosen === "") return question.isOptional ? "" : paint.dim("  (declined)");
      return `${paint.accent("  ❯")} ${chosen}`;
    };
    return { text, prompt: "  > ", menu, reply };
  }
  const list = numberedChoices(choices).map(escapeInvisible);
  const decline = question.isOptional ? "" : "; Enter alone declines";
  return { text: [text, ...list].join("\n"), prompt: `(${answerHint(question)}${decline}) > ` };
}

/** Undefined: declined. */
function menuAnswer({ answer }: ChoiceMenu, choices: readonly Choice[]) {
  if (!answer) return undefined;
  const labels = answer.picked.flatMap((index) => choices[index]?.label ?? []);
  const values = answer.words === "" ? labels : [...labels, answer.words];
  return values.length === 0 ? undefined : ok(values);
}

/** Undefined: declined. */
function lineAnswer(question: PersonQuestion, line: string) {
  return line.trim() === "" ? undefined : typedAnswer(question, line);
}

const maxReplyChars = 200;

import { err, ok } from "../../../base/result.ts";
import { isCommandLine } from "../../../commands/resolve-command.ts";
import type { Asker, SecretAsker } from "../../../contracts/host/ports.ts";
import type { Answer, ApprovalQuestion, ApprovalSurface } from "../../../contracts/safety/approval.ts";
import { askInForm, type QuestionDialog } from "../approval-form.ts";
import type { TryRule } from "../choose-rules.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import type { Paint } from "../paint.ts";
import { fillInForm, type FormDialog } from "./fill-form.ts";
import type { LineEditor } from "./typing/line-editor.ts";

/** Questions of a conversation, asked on its own line. */
export interface ChatQuestions {
  readonly approvals: ApprovalSurface;
  readonly asker: Asker;
  readonly secrets: SecretAsker;
  /** Any answer except yes counts as no. A slash command runs, and the question comes again; other text is a prompt. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
}

/** `onLine`: receives a line typed at a question that does not answer it. */
export function chatQuestions(
  editor: () => LineEditor,
  paint: Paint,
  onLine: (line: string) => Promise<void> | void,
  tryRule: TryRule,
  columns = () => Infinity,
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
      async ask({ text, choices = [], several, isOptional = false }, signal) {
        const listed = choices.map((choice, index) => `  ${index + 1}. ${escapeInvisible(choice)}`);
        const how = several ? "numbers separated by commas, or your own words" : "a number, or your own words";
        const question = [`\n${escapeInvisible(text)}`, ...listed].join("\n");
        const prompt = choices.length === 0 ? "> " : `(${how}) > `;
        const line = await editor()
          .ask({ text: question, prompt, isOptional }, signal)
          .catch(() => undefined);
        if (line === undefined) return err({ reason: "aborted" });
        if (line.trim() === "") return err({ reason: "declined" });
        const answer = chosen(line, choices);
        if (!isOptional || answer.every((each) => choices.includes(each))) return ok(answer);
        void onLine(line);
        return err({ reason: "declined" });
      },
      async fillIn(form, signal) {
        let isFollowUp = false;
        const dialog: FormDialog = {
          paint,
          columns,
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

function chosen(line: string, choices: readonly string[]): readonly string[] {
  const numbers = line.split(",").map((each) => choices[Number(each.trim()) - 1]);
  return numbers.every((each) => each !== undefined) ? numbers : [line.trim()];
}

import { type Clock, systemClock } from "../../../base/clock.ts";
import { err, ok } from "../../../base/result.ts";
import type { Asker } from "../../../contracts/host/ports.ts";
import { answerHint, numberedChoices, typedAnswer } from "../../../contracts/host/question.ts";
import type { FormDialog } from "../chat/fill-form.ts";
import type { CliContext } from "../command.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import { typedLinesAt } from "../typed-lines-at.ts";

/**
 * Asks at a terminal in line mode, with numbered lists. Undefined when standard input is not a terminal: nobody can
 * answer. `during` wraps each question, so that other output can pause.
 */
export function askerAt(
  { io, paint }: Pick<CliContext, "io" | "paint">,
  during: <T>(question: () => Promise<T>) => Promise<T>,
  clock: Clock = systemClock,
): Asker | undefined {
  if (!io.stdinIsTerminal) return undefined;
  return {
    ask: (question, signal) =>
      during(async () => {
        if (question.isOptional) return err({ reason: "declined" });
        const { from = "Hermes", text, choices = [] } = question;
        const body = text.split("\n").map((line) => `  ${paint.dim("│")} ${escapeInvisible(line)}`);
        const list = numberedChoices(choices).map(escapeInvisible);
        const head = ["", `${paint.warn("Question")} from ${escapeInvisible(from)}:`, "", ...body, "", ...list];
        using lines = typedLinesAt(io, clock);
        for (let above = head; ;) {
          const shown = { text: above.join("\n"), prompt: `(${answerHint(question)}; Enter alone declines) > ` };
          const line = await lines.ask(shown, signal).catch(() => undefined);
          if (line === undefined) {
            io.warn("\n(question withdrawn)\n");
            return err({ reason: "aborted" });
          }
          if (line.trim() === "") return err({ reason: "declined" });
          const answer = typedAnswer(question, line);
          if (answer.ok) return ok(answer.value);
          above = [`  ${paint.bad("•")} ${answer.error}`];
        }
      }),
    fillIn: (form, signal) =>
      during(async () => {
        const { fillInForm } = await import("../chat/fill-form.ts");
        using lines = typedLinesAt(io, clock);
        const dialog: FormDialog = {
          paint,
          columns: () => io.columns,
          rows: () => io.rows,
          hasMenus: false,
          answer: ({ text, prompt }) => lines.ask({ text, prompt }, signal),
        };
        return fillInForm(form, dialog).catch(() => err({ reason: "aborted" as const }));
      }),
  };
}

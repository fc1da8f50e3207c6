import { abortable } from "../../../base/async/abort.ts";
import { type Clock, systemClock } from "../../../base/clock.ts";
import type { ApprovalSurface } from "../../../contracts/safety/approval.ts";
import type { CliContext, CliIo } from "../command.ts";
import { typedLinesAt } from "../typed-lines-at.ts";
import { askInForm, type QuestionDialog } from "./approval-form.ts";
import { terminalDialog } from "./choose-rules.ts";

/** Asks at the terminal. Undefined when standard input is not a terminal. */
export function approvalSurfaceAt(
  ctx: Pick<CliContext, "io" | "paint" | "run">,
  clock: Clock = systemClock,
): ApprovalSurface | undefined {
  const { io } = ctx;
  if (!io.stdinIsTerminal) return undefined;
  return {
    name: "the terminal",
    async ask(pending, signal) {
      using lines = typedLinesAt(io, clock);
      try {
        const dialog: QuestionDialog = {
          ...terminalDialog(ctx, (question) => lines.ask(question, signal)),
          async answer({ text, prompt, reply }) {
            const typed = await lines.ask({ text, prompt }, signal);
            const sentence = reply(typed);
            if (sentence !== "") io.warn(`${sentence}\n`);
            return typed;
          },
        };
        return await askInForm(pending, dialog, signal);
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
        io.warn("\n(question withdrawn)\n");
        return undefined;
      }
    },
  };
}

/** Approves every call once, for runs with `--approve`. */
export const approveOnce: ApprovalSurface = { name: "--approve", ask: async () => ({ scope: "once" }) };

/** Waits for `hermes approvals answer` from another process. */
export function otherProcessSurface(io: CliIo): ApprovalSurface {
  return {
    name: "elsewhere",
    async ask(pending, signal) {
      io.warn(
        `${pending.id} needs approval. To answer: hermes approvals answer ${pending.id} once|session|always|deny\n`,
      );
      const { promise } = Promise.withResolvers<undefined>();
      return abortable(promise, signal);
    },
  };
}

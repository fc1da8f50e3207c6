import { abortable, sleep } from "../../base/async/abort.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { ApprovalSurface } from "../../contracts/safety/approval.ts";
import { askInForm, type QuestionDialog } from "./approval-form.ts";
import { terminalDialog } from "./choose-rules.ts";
import type { CliContext, CliIo } from "./command.ts";

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
      const typing = io.stdin[Symbol.asyncIterator]();
      try {
        let line = async () => readLine(await dropTyped(io, typing, signal, clock), typing, signal);
        const dialog: QuestionDialog = {
          ...terminalDialog(ctx, () => line()),
          async answer({ text, prompt, reply }) {
            io.warn(`${text}\n${prompt}`);
            const typed = await line();
            line = () => readLine({ read: typing.next() }, typing, signal);
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
      } finally {
        // No await: a terminal settles it only when the user types the next line.
        void typing.return?.();
      }
    },
  };
}

/** Approves every call once: the user passed `--approve`. */
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

/** A question takes no key that arrives sooner after it appeared, or while keys keep arriving: they were on their way. */
const readyMs = 400;
const pauseMs = 200;

type Read = Promise<IteratorResult<Uint8Array>>;

/** Discards input that was on its way, including an unfinished line. Returns the pending read. */
async function dropTyped(
  io: CliIo,
  typing: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
  clock: Clock,
): Promise<{ read: Read }> {
  io.hideTyping?.(true);
  try {
    const readyAt = clock.elapsed() + readyMs;
    let pauseAt = readyAt;
    let read: Read = typing.next();
    for (;;) {
      const waitMs = Math.max(readyAt, pauseAt) - clock.elapsed();
      if (waitMs <= 0) return { read };
      const typed = await Promise.race([sleep(waitMs, signal, clock).then(() => undefined), read]);
      if (typed?.done) return { read };
      if (!typed) continue;
      // Without line mode the terminal sends no signal.
      if (typed.value.includes(interruptKey)) io.interrupt?.();
      pauseAt = clock.elapsed() + pauseMs;
      read = typing.next();
    }
  } finally {
    io.hideTyping?.(false);
  }
}

/** Reads one line. Returns an empty line at the end of input. */
async function readLine(
  { read }: { read: Read },
  typing: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  let typed = "";
  for (let next = read; ; next = typing.next()) {
    const { done, value } = await abortable(next, signal);
    if (done) return "";
    typed += decoder.decode(value, { stream: true });
    const end = typed.search(/[\r\n]/u);
    if (end >= 0) return typed.slice(0, end);
    if (typed.length > maxAnswerChars) return "";
  }
}

const interruptKey = 3;
const maxAnswerChars = 1_000;

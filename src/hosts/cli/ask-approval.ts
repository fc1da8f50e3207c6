import { abortable, sleep } from "../../base/async/abort.ts";
import { systemClock } from "../../base/clock.ts";
import { textWidth } from "../../base/text/text-width.ts";
import type { Answer, ApprovalSurface, PendingApproval, Span } from "../../contracts/safety/approval.ts";
import { chooseRules, terminalDialog } from "./choose-rules.ts";
import type { CliContext, CliIo } from "./command.ts";
import { escapeInvisible } from "./escape-invisible.ts";
import type { Paint } from "./paint.ts";
import { wrap } from "./table.ts";

/** Asks at the terminal. Undefined when standard input is not a terminal. */
export function approvalSurfaceAt(ctx: Pick<CliContext, "io" | "paint" | "run">): ApprovalSurface | undefined {
  const { io, paint } = ctx;
  if (!io.stdinIsTerminal) return undefined;
  return {
    name: "the terminal",
    async ask(pending, signal) {
      const typing = io.stdin[Symbol.asyncIterator]();
      try {
        const next = await dropTyped(io, typing, signal);
        let line = () => readLine(next, typing, signal);
        const dialog = terminalDialog(ctx, () => line());
        for (;;) {
          io.warn(`\n${questionText(pending, paint, io.columns)}\n${choiceText(pending, paint)} `);
          const answer = parseAnswer(await line(), pending);
          line = () => readLine({ read: typing.next() }, typing, signal);
          const chosen = answer.scope === "always" ? await chooseRules(pending, dialog, signal) : answer;
          if (!chosen) continue;
          if (chosen.scope === "deny") io.warn(deniedText(chosen));
          else if (chosen.scope !== "always") io.warn(`Allowed: ${chosen.scope}\n`);
          return chosen;
        }
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

function deniedText({ reason }: { readonly reason?: string }): string {
  return reason === undefined ? "Denied.\n" : "Denied. Your reason was passed to the model.\n";
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

const settleMs = 80;

type Read = Promise<IteratorResult<Uint8Array>>;

/** Discards input typed before the question appeared, including an unfinished line. Returns the pending read. */
async function dropTyped(io: CliIo, typing: AsyncIterator<Uint8Array>, signal: AbortSignal): Promise<{ read: Read }> {
  io.hideTyping?.(true);
  try {
    const over = sleep(settleMs, signal, systemClock).then(() => undefined);
    for (;;) {
      const read: Read = typing.next();
      const typed = await Promise.race([over, read]);
      if (typed === undefined || typed.done) return { read };
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

const maxAnswerChars = 1_000;

/** Any text that is not one of the choices denies. */
export function parseAnswer(line: string, pending: PendingApproval): Answer {
  const word = line.trim().toLowerCase();
  const isRemembered = pending.asks.some(({ covers }) => covers !== undefined);
  if (["o", "once", "y", "yes"].includes(word)) return { scope: "once" };
  if (isRemembered && ["s", "session"].includes(word)) return { scope: "session" };
  if (isRemembered && ["a", "always"].includes(word)) return { scope: "always" };
  const reply = line.trim();
  // A sentence of three or more words is the reason for the model.
  const reason =
    /^(?:d|deny|n|no)\s*[:,]?\s+(.+)$/iu.exec(reply)?.[1] ?? (/\S\s+\S+\s+\S/u.test(reply) ? reply : undefined);
  return reason === undefined ? { scope: "deny" } : { scope: "deny", reason };
}

/** The question: the command, the words that triggered it, the reasons, and the rules that `session` and `always` would store. */
export function questionText(pending: PendingApproval, paint: Paint, columns = Infinity): string {
  const { tool, text, cwd, backend, asks } = pending;
  const place = backend === "local" ? cwd : `${cwd} (${backend})`;
  const spans = asks.flatMap((ask) => ask.spans);
  const covered = [...new Set(asks.flatMap(({ covers }) => covers ?? []))];
  const edge = `  ${paint.dim("│")} `;
  const rest = asks.length - asks.filter(({ covers }) => covers !== undefined).length;
  return [
    `${paint.warn("Approval needed")} for ${paint.bold(tool)} in ${escapeInvisible(place)}:`,
    "",
    // Every line of the command gets an edge, so that none of them can imitate the question.
    ...markedLines(text, spans, paint, columns - 4).map((line) => `${edge}${line}`),
    "",
    ...asks.map(({ reason, rule }) => `  ${paint.bad("•")} ${escapeInvisible(reason)} ${paint.dim(`[${rule}]`)}`),
    ...(covered.length === 0
      ? ["", paint.dim("  You can allow it only once: no rule can express it.")]
      : [
          "",
          "  session and always cover exactly:",
          ...covered.map((rule) => `    ${paint.accent(escapeInvisible(rule))}`),
        ]),
    ...(covered.length > 0 && rest > 0 ? [paint.dim("  The rest is allowed only once.")] : []),
    ...(pending.leavesSandbox ? ["", "  If you allow it, it runs outside the sandbox."] : []),
  ]
    .map((line) => (line.startsWith(edge) ? line : wrap(line, columns)))
    .join("\n");
}

export function choiceText({ asks }: PendingApproval, paint: Paint): string {
  const longer = asks.some(({ covers }) => covers !== undefined) ? "[s]ession  [a]lways  " : "";
  return `[o]nce  ${longer}${paint.bold("[D]eny")} (Enter denies):`;
}

/** The lines of the command, with the marked spans coloured and underlined. */
function markedLines(text: string, spans: readonly Span[], paint: Paint, columns: number): readonly string[] {
  const lines: string[] = [];
  let from = 0;
  for (const line of text.split("\n")) {
    let shown = "";
    let under = "";
    const end = () => {
      lines.push(shown);
      if (under.trim() !== "") lines.push(paint.bad(under.trimEnd()));
      [shown, under] = ["", ""];
    };
    for (let offset = 0; offset < line.length;) {
      const char = String.fromCodePoint(line.codePointAt(offset) ?? 0);
      const isMarked = spans.some((span) => span.from <= from + offset && from + offset < span.to);
      const seen = escapeInvisible(char);
      const width = textWidth(seen);
      if (under !== "" && under.length + width > columns) end();
      shown += isMarked ? paint.bad(seen) : seen;
      under += (isMarked ? "^" : " ").repeat(width);
      offset += char.length;
    }
    end();
    from += line.length + 1;
  }
  return lines;
}

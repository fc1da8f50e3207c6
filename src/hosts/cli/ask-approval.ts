import { abortable, sleep } from "../../base/async/abort.ts";
import { once } from "../../base/async/once.ts";
import { systemClock } from "../../base/clock.ts";
import { textWidth } from "../../base/text/text-width.ts";
import type { Answer, ApprovalSurface, PendingApproval, Span } from "../../contracts/safety/approval.ts";
import type { CliIo } from "./command.ts";
import type { Paint } from "./paint.ts";
import { wrap } from "./table.ts";

/** Asks at the terminal, on a line of its own. Undefined where nobody sits at one. */
export function approvalSurfaceAt(io: CliIo, paint: Paint): ApprovalSurface | undefined {
  if (!io.stdinIsTerminal) return undefined;
  return {
    name: "the terminal",
    async ask(pending, signal) {
      const typing = io.stdin[Symbol.asyncIterator]();
      try {
        const next = await dropTyped(io, typing, signal);
        io.warn(`\n${questionText(pending, paint, io.columns)}\n${choiceText(pending, paint)} `);
        const answer = answerOf(await readLine(next, typing, signal), pending);
        io.warn(answer.scope === "deny" ? "denied\n" : `allowed: ${answer.scope}\n`);
        return answer;
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
        io.warn("\n(no longer asked)\n");
        return undefined;
      } finally {
        // Not waited for: a terminal answers it only when the next line is typed.
        void typing.return?.();
      }
    },
  };
}

/** Says yes, once, to whatever is asked: for a person who said so beforehand. */
export const saidBefore: ApprovalSurface = { name: "--approve", ask: async () => ({ scope: "once" }) };

/** Shows nothing and waits for an answer from another program: `hermes approvals answer`. */
export function elsewhere(io: CliIo): ApprovalSurface {
  return {
    name: "elsewhere",
    async ask(pending, signal) {
      io.warn(`${pending.id} waits for: hermes approvals answer ${pending.id} once|session|always|deny\n`);
      const { promise } = Promise.withResolvers<undefined>();
      return abortable(promise, signal);
    },
  };
}

const settleMs = 80;

type Read = Promise<IteratorResult<Uint8Array>>;

/** What was typed before the question appeared is no answer to it, also a line that was not ended yet. Answers the next read. */
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

/** One line. The end of the input is an empty one. */
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
    if (typed.length > longestAnswer) return "";
  }
}

const longestAnswer = 1_000;

/** Anything but one of the words is a no. */
export function answerOf(line: string, pending: PendingApproval): Answer {
  const word = line.trim().toLowerCase();
  const isRemembered = pending.asks.some(({ covers }) => covers !== undefined);
  if (["o", "once", "y", "yes"].includes(word)) return { scope: "once" };
  if (isRemembered && ["s", "session"].includes(word)) return { scope: "session" };
  if (isRemembered && ["a", "always"].includes(word)) return { scope: "always" };
  const said = line.trim();
  // Whole sentences tell why, or what to do instead.
  const reason =
    /^(?:d|deny|n|no)\s*[:,]?\s+(.+)$/iu.exec(said)?.[1] ?? (/\S\s+\S+\s+\S/u.test(said) ? said : undefined);
  return reason === undefined ? { scope: "deny" } : { scope: "deny", reason };
}

/** The whole question: what would run, the words that decided, why, and what a longer yes would cover. */
export function questionText(pending: PendingApproval, paint: Paint, columns = Infinity): string {
  const { tool, text, cwd, backend, asks } = pending;
  const place = backend === "local" ? cwd : `${cwd} (${backend})`;
  const spans = asks.flatMap((ask) => ask.spans);
  const covered = [...new Set(asks.flatMap(({ covers }) => covers ?? []))];
  const edge = `  ${paint.dim("│")} `;
  const rest = asks.length - asks.filter(({ covers }) => covers !== undefined).length;
  return [
    `${paint.warn("Approval needed")} for ${paint.bold(tool)} in ${visible(place)}:`,
    "",
    // With an edge, also where the terminal would break it: no line of the command can pass for one of the question.
    ...markedLines(text, spans, paint, columns - 4).map((line) => `${edge}${line}`),
    "",
    ...asks.map(({ reason, rule }) => `  ${paint.bad("•")} ${visible(reason)} ${paint.dim(`[${rule}]`)}`),
    ...(covered.length === 0
      ? ["", paint.dim("  It can be allowed this once only: what it does cannot be written as a rule.")]
      : ["", "  session and always cover exactly:", ...covered.map((rule) => `    ${paint.accent(visible(rule))}`)]),
    ...(covered.length > 0 && rest > 0 ? [paint.dim("  The rest is allowed this once only.")] : []),
    ...(pending.leavesSandbox ? ["", "  If you allow it, it runs outside the sandbox."] : []),
  ]
    .map((line) => (line.startsWith(edge) ? line : wrap(line, columns)))
    .join("\n");
}

export function choiceText({ asks }: PendingApproval, paint: Paint): string {
  const longer = asks.some(({ covers }) => covers !== undefined) ? "[s]ession  [a]lways  " : "";
  return `[o]nce  ${longer}${paint.bold("[D]eny")} (Enter denies):`;
}

/** Lines as they will run, with what decided in colour and underlined. */
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
    for (let at = 0; at < line.length;) {
      const char = String.fromCodePoint(line.codePointAt(at) ?? 0);
      const isMarked = spans.some((span) => span.from <= from + at && from + at < span.to);
      const seen = visible(char);
      const width = textWidth(seen);
      if (under !== "" && under.length + width > columns) end();
      shown += isMarked ? paint.bad(seen) : seen;
      under += (isMarked ? "^" : " ").repeat(width);
      at += char.length;
    }
    end();
    from += line.length + 1;
  }
  return lines;
}

/** Characters that a terminal would obey, or that cannot be seen, as their numbers. */
export function visible(text: string): string {
  return text.replaceAll(hidden(), (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

const hidden = once(
  () => /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u3164\uffa0\u115f\u1160\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu,
);

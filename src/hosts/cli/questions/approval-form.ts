import { textWidth } from "../../../base/text/text-width.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { Answer, ApprovalQuestion, Span } from "../../../contracts/safety/approval.ts";
import { changeLines } from "../chat/feed/result-lines.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import type { Paint } from "../paint.ts";
import { fit, wrap } from "../table.ts";
import { chooseRules, type RuleDialog } from "./choose-rules.ts";

/** Shows a question and reads the user's lines. */
export interface QuestionDialog extends RuleDialog {
  /** Reads the answer. Undefined: the line was another command and was handled; the question is shown again. */
  answer(question: {
    readonly text: string;
    readonly prompt: string;
    /** Returns the text that confirms a typed line. Empty: the line is not confirmed immediately. */
    reply(line: string): string;
  }): Promise<string | undefined>;
}

/** Asks an approval question with the choices o, s, a, d and ?, which all displays share. */
export async function askInForm(
  question: ApprovalQuestion,
  dialog: QuestionDialog,
  signal: AbortSignal,
): Promise<Answer> {
  const { paint, columns } = dialog;
  const prompt = `${choiceText(question, paint, columns())} `;
  const shown = () => `\n${questionText(question, paint, columns())}`;
  let hasAskedAgain = false;
  const isAskedAgain = (typed: string) => !hasAskedAgain && isUnclear(typed, question);
  for (let text = shown(); ;) {
    const line = await dialog.answer({
      text,
      prompt,
      reply: (typed) => (isAskedAgain(typed) ? "" : replyTo(typed, question)),
    });
    if (line === undefined) text = shown();
    else if (asksWhy(line)) text = await explain(question, dialog, signal);
    else if (isAskedAgain(line)) {
      hasAskedAgain = true;
      text = `"${escapeInvisible(oneLine(line.trim(), 40))}" is not one of the answers. Nothing has run yet: o allows it once, Enter denies it.`;
    } else {
      const answer = parseAnswer(line, question);
      const chosen = answer.scope === "always" ? await chooseRules(question, dialog, signal) : answer;
      if (chosen) return chosen;
      text = shown();
    }
  }
}

function asksWhy(line: string): boolean {
  return /^\s*\?+\s*$/u.test(line);
}

function replyTo(line: string, question: ApprovalQuestion): string {
  const answer = parseAnswer(line, question);
  if (asksWhy(line) || answer.scope === "always") return "";
  if (answer.scope !== "deny") return `Allowed: ${answer.scope}`;
  return answer.reason === undefined ? "Denied." : "Denied. Your reason was passed to the model.";
}

/** Returns whether a line is neither a choice nor a reason, or begins like a yes. It gets a second question. */
function isUnclear(line: string, question: Pick<ApprovalQuestion, "asks">): boolean {
  const answer = parseAnswer(line, question);
  const [first = ""] = line
    .trim()
    .toLowerCase()
    .split(/[\s,.;:!]+/u);
  if (answer.scope !== "deny" || asksWhy(line) || first === "" || /^(?:d|deny|n|no|nope)$/u.test(first)) return false;
  return answer.reason === undefined || /^(?:o|ok|okay|once|y|yes|yeah|yep|sure|allow|fine)$/u.test(first);
}

/** Any text that is not one of the choices denies; words after `no`, or a sentence, are the reason for the model. */
function parseAnswer(line: string, { asks }: Pick<ApprovalQuestion, "asks">): Answer {
  const reply = line.trim();
  const word = reply.toLowerCase();
  const isRemembered = asks.some(({ covers }) => covers !== undefined);
  if (["o", "once", "y", "yes"].includes(word)) return { scope: "once" };
  if (isRemembered && ["s", "session"].includes(word)) return { scope: "session" };
  if (isRemembered && ["a", "always"].includes(word)) return { scope: "always" };
  const reason =
    /^(?:d|deny|n|no)[\s:,.;!]+(\S.*)$/iu.exec(reply)?.[1] ?? (/\S\s+\S+\s+\S/u.test(reply) ? reply : undefined);
  return reason === undefined ? { scope: "deny" } : { scope: "deny", reason };
}

/** The question: the command, the words that triggered it, the reasons, and the rules that `session` and `always` would store. */
export function questionText(pending: ApprovalQuestion, paint: Paint, columns = Infinity): string {
  const { agent, background, tool, text, cwd, backend, asks, preview } = pending;
  const isStarted = (agent ?? background) !== undefined;
  const place = backend === "local" ? cwd : `${cwd} (${backend})`;
  const spans = asks.flatMap((ask) => ask.spans);
  const covered = coveredRules(pending);
  const edge = `  ${paint.dim("│")} `;
  const rest = asks.length - asks.filter(({ covers }) => covers !== undefined).length;
  return [
    `${paint.warn("Approval needed")} for ${starterText(pending, paint)}${paint.bold(tool)} in ${escapeInvisible(place)}:`,
    "",
    // Every line of the command starts with a border, so that none of them can imitate the question.
    ...markedLines(text, spans, paint, columns - 4).map((line) => `${edge}${line}`),
    ...(preview === undefined
      ? []
      : ["", ...changeLines(preview, paint, maxPreviewLines).map((line) => `${edge}${fit(line, columns - 5)}`)]),
    "",
    ...asks.map(({ reason, rule }) => `  ${paint.bad("•")} ${escapeInvisible(reason)} ${paint.dim(`[${rule}]`)}`),
    ...(covered.length === 0
      ? ["", paint.dim("  You can allow it only once: no rule can express it.")]
      : [
          "",
          "  session and always cover exactly:",
          ...covered.map((rule) => `    ${paint.accent(escapeInvisible(rule))}`),
        ]),
    ...(covered.length > 0 && isStarted ? [paint.dim("  session: your session and everything that it starts")] : []),
    ...(covered.length > 0 && rest > 0 ? [paint.dim("  The rest is allowed only once.")] : []),
    ...(pending.leavesSandbox ? ["", "  If you allow it, it runs outside the sandbox."] : []),
  ]
    .map((line) => (line.startsWith(edge) ? line : wrap(line, columns)))
    .join("\n");
}

/** The child agent or background session that asks. Empty: the user's own session. */
function starterText({ agent, background }: ApprovalQuestion, paint: Paint): string {
  if (agent !== undefined) return `agent ${paint.bold(escapeInvisible(agent))}: `;
  return background === undefined ? "" : `background ${paint.bold(escapeInvisible(background))}: `;
}

const maxPreviewLines = 20;

function choiceText({ asks }: Pick<ApprovalQuestion, "asks">, paint: Paint, columns: number): string {
  const isRemembered = asks.some(({ covers }) => covers !== undefined);
  // The window is too narrow for the choices as whole words.
  if (columns < 64) return `o${isRemembered ? ", s, a" : ""}, ${paint.bold("D")} or ? (Enter denies):`;
  return `[o]nce  ${isRemembered ? "[s]ession  [a]lways  " : ""}${paint.bold("[D]eny")}  [?] (Enter denies):`;
}

/** Explains the question: its reasons, the effect of each answer, and the coverage of the rules. */
async function explain(
  question: ApprovalQuestion,
  { paint, columns, tryRule }: QuestionDialog,
  signal: AbortSignal,
): Promise<string> {
  const { asks } = question;
  const covered = coveredRules(question);
  const trials = await Promise.all(covered.map((rule) => tryRule(rule, covered, signal)));
  return [
    "",
    "Hermes asks because:",
    ...asks.map(({ rule, reason }) => `  ${paint.bold(rule)}: ${escapeInvisible(reason)}`),
    "Your answers:",
    "  o  allow this call once",
    ...(covered.length === 0
      ? ["  s and a are not possible: no rule can express exactly this"]
      : [
          "  s  also allow, until this session ends, every call that only these rules concern",
          "  a  save the rules for all sessions; you see and edit them first",
          ...trials.map((trial, index) => {
            const what = trial.ok ? trial.value.covers : trial.error.message;
            return `     ${paint.accent(escapeInvisible(covered[index] ?? ""))} ${escapeInvisible(what)}`;
          }),
        ]),
    "  d  deny; words after it are the reason for the model, such as: d use git rm",
    paint.dim("Test any command: hermes policy test COMMAND. Your rules: hermes policy list."),
  ]
    .map((line) => wrap(line, columns()))
    .join("\n");
}

/** The rules that `session` and `always` store, without duplicates. Empty: the call can only be allowed once. */
export function coveredRules({ asks }: Pick<ApprovalQuestion, "asks">): readonly string[] {
  return [...new Set(asks.flatMap(({ covers }) => covers ?? []))];
}

/** The lines of the command, with the marked spans coloured and underlined. */
export function markedLines(text: string, spans: readonly Span[], paint: Paint, columns: number): readonly string[] {
  const lines: string[] = [];
  const edges = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].toSorted((one, other) => one - other);
  let start = 0;
  for (const line of text.split("\n")) {
    let shown = "";
    let under = "";
    const end = () => {
      lines.push(shown);
      if (under.trim() !== "") lines.push(paint.bad(under.trimEnd()));
      [shown, under] = ["", ""];
    };
    const inside = edges.filter((edge) => edge > start && edge < start + line.length);
    for (const [index, from] of [start, ...inside].entries()) {
      const run = line.slice(from - start, (inside[index] ?? start + line.length) - start);
      const isMarked = spans.some((span) => span.from <= from && from < span.to);
      for (const { seen, width } of visiblePieces(run, () => columns - under.length, columns)) {
        if (under !== "" && under.length + width > columns) end();
        shown += isMarked ? paint.bad(seen) : seen;
        under += (isMarked ? "^" : " ").repeat(width);
      }
    }
    end();
    start += line.length + 1;
  }
  return lines;
}

/** Escaped pieces that fit into their row: runs of plain characters, and other characters one by one. */
function* visiblePieces(run: string, room: () => number, columns: number) {
  for (let offset = 0; offset < run.length;) {
    const max = room() > 0 ? room() : columns;
    const plain = plainRun.exec(run.slice(offset, offset + Math.min(max, run.length)))?.[0] ?? "";
    const piece = plain === "" ? String.fromCodePoint(run.codePointAt(offset) ?? 0) : plain;
    const seen = plain === "" ? escapeInvisible(piece) : piece;
    yield { seen, width: plain === "" ? textWidth(seen) : piece.length };
    offset += piece.length;
  }
}

const plainRun = /^[ -~]+/u;

import { cut, oneLine, plural } from "../../../../base/text/text.ts";
import { summaryBegin } from "../../../../contracts/model/context.ts";
import type { ContentPart, Message } from "../../../../contracts/model/message.ts";
import { isAttachedPart } from "../../../../contracts/session/attached-part.ts";
import { promptForPeople, reportHead } from "../../../../contracts/session/program-prompt.ts";
import type { Session } from "../../../../contracts/session/runtime.ts";
import type { Settings } from "../../../../operations/settings/load-settings.ts";
import type { Paint } from "../../paint.ts";
import { wrap } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";

/**
 * The panel of a resumed session: its title and last exchanges, or one line with `resume_display: minimal`. Empty for a
 * session without messages.
 */
export async function earlierPanel(
  session: Session,
  paint: Paint,
  columns: number,
  { values: { display } }: Settings,
  translate = (text: string) => text,
): Promise<string> {
  const history = session.history();
  const prompts = history.filter(isPrompt);
  if (prompts.length === 0) return "";
  const [{ title, preview }, tree] = await Promise.all([session.record(), session.tree()]);
  const branch = tree.branches.find(({ isCurrent }) => isCurrent);
  const facts = [
    oneLine(withoutControls(title ?? preview ?? session.id), 60),
    translate(plural(prompts.length, "exchange")),
    ...(tree.branches.length > 1 && branch
      ? [translate(`branch ${withoutControls(branch.name)} of ${tree.branches.length}`)]
      : []),
  ];
  if (display.resume_display === "minimal") return `${wrap(paint.dim(facts.join(" · ")), columns)}\n`;
  // Reads only the last exchanges, so that a long history costs no more than a short one.
  const first = prompts.at(-maxExchanges) ?? prompts[0];
  const shown = exchangesIn(history.slice(first ? history.lastIndexOf(first) : 0));
  const left = prompts.length - shown.length;
  const lines = [
    ...(left > 0 ? [paint.dim(translate(`… ${plural(left, "earlier exchange")}`))] : []),
    ...shown.flatMap((exchange) => exchangeLines(exchange, paint, translate("(incomplete)"))),
  ];
  const bar = paint.dim("│");
  return [
    `${paint.dim("╭─")} ${paint.bold(facts.join(" · "))}`,
    ...lines.flatMap((line) => wrap(line, columns - 2).split("\n")).map((line) => `${bar} ${line}`),
    paint.dim("╰─"),
    "",
  ].join("\n");
}

const maxExchanges = 10;
const userChars = 300;
const answerChars = 200;
const answerLines = 3;

/** A short form of an exchange. */
export interface ShownExchange {
  readonly asked: string;
  /** The tools of all its messages. */
  readonly tools: string[];
  answer: string;
  /** The last text came before the last calls. */
  isAnswerFirst: boolean;
  /** True if the answer ended early: the user stopped it, or the program was killed. */
  isCutOff: boolean;
}

/** Whether a message is a prompt, and neither the summary of a compaction nor the report of a child agent. */
function isPrompt({ role, content }: Message): boolean {
  const [part] = content;
  const text = part?.type === "text" ? part.text : "";
  return role === "user" && !text.startsWith(summaryBegin) && !text.startsWith(reportHead);
}

export function exchangesIn(history: readonly Message[]): readonly ShownExchange[] {
  const exchanges: ShownExchange[] = [];
  for (const message of history) {
    const isAsked = isPrompt(message);
    const parts = isAsked ? typedParts(message) : message.content;
    const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(isAsked ? " " : "");
    const last = exchanges.at(-1);
    if (isAsked)
      exchanges.push({ asked: promptForPeople(text), tools: [], answer: "", isAnswerFirst: false, isCutOff: false });
    else if (message.role === "assistant" && last) {
      if (text.trim() !== "") last.answer = text;
      last.isCutOff = message.stop === "length";
      if (text.trim() !== "" || message.calls.length > 0) last.isAnswerFirst = message.calls.length > 0;
      last.tools.push(...message.calls.map(({ name }) => name));
    }
  }
  return exchanges;
}

/** The first text of a prompt is what the user typed. Later ones are attachments and notes for the model. */
function typedParts({ content }: Message): readonly ContentPart[] {
  const parts = content.filter((part) => !isAttachedPart(part));
  const first = parts.find(({ type }) => type === "text");
  return parts.filter((part) => part === first || part.type !== "text");
}

function exchangeLines(exchange: ShownExchange, paint: Paint, incomplete: string): readonly string[] {
  const { prompt, tools, answer } = exchangeTexts(exchange);
  return [
    `${paint.accent("❯")} ${prompt}`,
    ...inOrder(exchange, tools === "" ? [] : [paint.dim(`⚙ ${tools}`)], answer),
    ...(exchange.isCutOff ? [paint.dim(incomplete)] : []),
  ];
}

/** The lines of the tools and of the answer, in the order of the conversation. */
export function inOrder<Line>({ isAnswerFirst }: ShownExchange, tools: readonly Line[], answer: readonly Line[]) {
  return isAnswerFirst ? [...answer, ...tools] : [...tools, ...answer];
}

/** The texts of an exchange, shortened and without control characters. `tools`: empty if there was no call. */
export function exchangeTexts({ asked: request, tools, answer }: ShownExchange) {
  const answered = withoutControls(cut(answer, 10 * answerChars))
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "");
  const short = oneLineEach(answered.slice(0, answerLines), answerChars, answered.length > answerLines);
  return {
    prompt: oneLine(withoutControls(cut(request, 10 * userChars)), userChars),
    tools: toolsText(tools),
    answer: short,
  };
}

/** The lines, up to a total length. */
function oneLineEach(lines: readonly string[], maxLines: number, areMore: boolean): readonly string[] {
  const shown: string[] = [];
  let left = maxLines;
  for (const line of lines) {
    if (left <= 0) break;
    const text = oneLine(line, left);
    left -= text.length;
    shown.push(text);
  }
  const end = shown.at(-1);
  return areMore && end !== undefined && !end.endsWith("…") ? [...shown.slice(0, -1), `${end} …`] : shown;
}

/** Formats `terminal ×3, read_file`. */
function toolsText(tools: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const named = Array.from(counts, ([tool, count]) => (count === 1 ? tool : `${tool} ×${count}`));
  return withoutControls(oneLine(named.join(", "), 120));
}

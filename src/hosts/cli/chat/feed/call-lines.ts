import { textWidth } from "../../../../base/text/text-width.ts";
import { oneLine, plural } from "../../../../base/text/text.ts";
import { mainArgument } from "../../../../contracts/tool/main-argument.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { Paint } from "../../paint.ts";
import { fit, wrap } from "../../table.ts";
import type { CallItem, CallResult } from "./feed-state.ts";
import { forPeople } from "./for-people.ts";
import { printableLines, resultLines } from "./result-lines.ts";
import { elapsedText } from "./tool-line.ts";

/** The appearance of calls. */
export interface CallLook {
  readonly paint: Paint;
  readonly columns: number;
  emoji(tool: string): string;
  /** True: all arguments and the whole output. */
  readonly isWhole?: boolean;
  /** The command that shows a whole output: `/output`. */
  readonly showsAll?: string;
  /** True: lines of a change have their numbers. */
  readonly isNumbered?: boolean;
  /** Translates the reason of a failure. */
  translate?(text: string): string;
  /** Translates a count or a short outcome, such as `3 lines more`. */
  say?(text: string): string;
  /** Printed before every line of a call. Default: `┊`. */
  readonly prefix?: string;
}

/** The first part of a call's line: prefix, emoji of the tool, its name, and its main argument. */
export function callText({ name, args, nested }: CallItem, look: CallLook): string {
  const { paint, columns } = look;
  const room = Math.max(8, columns - name.length - 20);
  const about = escapeInvisible(nested ? nestedText(nested, look) : mainArgument(args, room));
  const head = `${prefixOf(look)} ${look.emoji(name)} ${paint.bold(escapeInvisible(oneLine(name, 80)))}`;
  const words = about === "" ? "" : fit(about, Math.max(8, columns - textWidth(head) - outcomeColumns));
  return words === "" ? head : `${head} ${words}`;
}

/** The line of a finished call, followed by its output or diff. */
export function endedCallLines(call: CallItem, result: CallResult, look: CallLook): readonly string[] {
  const { paint, isWhole = false, isNumbered = false, showsAll } = look;
  const end = `${result.failed ? paint.bad("✗") : paint.good("✓")} ${paint.dim(elapsedText(result.durationMs))}`;
  const head = `${callText(call, look)} ${end}`;
  const style = {
    paint,
    isWhole,
    isNumbered,
    ...(look.say && { say: look.say }),
    ...(showsAll !== undefined && { showsAll }),
  };
  const below = [...(isWhole ? argumentLines(call, look) : []), ...resultLines(result, style)];
  const words = resultText(result, textWidth(`${head} `), look);
  const files = (result.pictures ?? []).flatMap((path) => wrap(escapeInvisible(path), look.columns - 5).split("\n"));
  return [...`${head}${words}`.split("\n"), ...[...below, ...files].map((each) => belowCall(each, look))];
}

/** A line that belongs to the call above. */
export function belowCall(text: string, look: CallLook): string {
  return `${prefixOf(look)}   ${fit(text, look.columns - 5)}`;
}

function prefixOf({ paint, prefix = "┊" }: CallLook): string {
  return paint.dim(prefix);
}

function argumentLines({ args }: CallItem, { paint, columns }: CallLook): readonly string[] {
  return Object.entries(args).flatMap(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const lines = printableLines(`${key}: ${text}`).flatMap((each) => wrap(each, columns - 5).split("\n"));
    return lines.map(paint.accent);
  });
}

/**
 * The outcome text, on the line of the call if it fits. The reason of a failure is always shown, on further lines if
 * needed.
 */
function resultText(
  { failed, summary, output, diff, denied }: CallResult,
  usedColumns: number,
  look: CallLook,
): string {
  const { paint, columns } = look;
  if (!failed && (output !== undefined || diff !== undefined)) return "";
  const room = columns - usedColumns;
  const shown = (failed ? forPeople(denied ?? summary) : summary).replaceAll(/\s+/gu, " ");
  const words = escapeInvisible((failed ? look.translate?.(shown) : look.say?.(shown)) ?? shown);
  const text = oneLine(words, failed ? 300 : Math.min(60, room));
  // JSON results are not shown, because they are meant for the model.
  if (text.length < 2 || (!failed && /^(?:[{[]|<persisted-output>)/u.test(text))) return "";
  if (!failed) return ` ${paint.dim(text)}`;
  if (textWidth(text) <= room) return ` ${paint.bad(text)}`;
  const lines = wrap(text, columns - 4).split("\n");
  return lines.map((each) => `\n${prefixOf(look)}   ${paint.bad(each)}`).join("");
}

/** Columns for the time and the outcome of a call. */
const outcomeColumns = 12;

/** `3 calls, read_file …` */
function nestedText({ calls, tool }: NonNullable<CallItem["nested"]>, { say = same }: CallLook): string {
  return `${say(plural(calls, "call"))}, ${oneLine(tool, 80)} …`;
}

function same(text: string): string {
  return text;
}

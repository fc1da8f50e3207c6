import { waitFor } from "../../../base/async/bounded-wait.ts";
import { whenReady } from "../../../base/async/when-ready.ts";
import type { Clock } from "../../../base/clock.ts";
import type { CallId } from "../../../base/ids.ts";
import type { Logger } from "../../../base/log/log.ts";
import { reasonOf } from "../../../base/result.ts";
import { cut } from "../../../base/text/text.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { PendingCall, SpillStore } from "../../../contracts/tool/dispatch.ts";
import type { ToolResult } from "../../../contracts/tool/tool-result.ts";
import { resultContent, dataText, textChars } from "./result-text.ts";
import { closingTag } from "./untrusted.ts";

export interface BoundDeps {
  readonly spill: SpillStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Results that were already written to a file. The shortened version must not overwrite that file. */
  readonly spilled: WeakSet<ToolResult>;
  readonly limits: { readonly resultChars: number; readonly turnChars: number; readonly previewChars: number };
}

/** A finished call of a turn, for the turn's budget. */
export interface SizedResult {
  readonly callId: CallId;
  readonly result: ToolResult;
}

/** Writes a result longer than its limit to a file; the model gets its start and the path of the file. */
export function boundResult(
  { call, tool, scope }: PendingCall,
  result: ToolResult,
  deps: BoundDeps,
): Promise<ToolResult> | ToolResult {
  const own = tool.traits.maxResultChars ?? Infinity;
  // A tool with `Infinity` limits its results itself; a tool without a value gets the default. A script may read more
  // text than a model.
  const isForScript = scope.parent !== undefined && scope.origin !== "plugin";
  const defaultChars = isForScript ? Infinity : deps.limits.resultChars;
  const maxChars = tool.traits.maxResultChars === Infinity ? Infinity : Math.min(defaultChars, own);
  const chars = textChars(result);
  const budget = scope.parent?.budget;
  const isOver = budget !== undefined && chars > Math.max(budget.chars, deps.limits.previewChars * 2);
  const isShort = chars <= maxChars && !isOver;
  const bounding = isShort ? withoutLongData(result, maxChars) : spillOver(result, call.id, scope.signal, deps);
  return whenReady(bounding, (bounded) => {
    if (budget) budget.chars -= textChars(bounded);
    return bounded;
  });
}

/**
 * Writes the longest results to files until the rest fits the budget of the turn. Returns the replaced results by
 * index.
 */
export async function boundTurn(
  turn: readonly SizedResult[],
  signal: AbortSignal,
  deps: BoundDeps,
): Promise<ReadonlyMap<number, ToolResult>> {
  const replaced = new Map<number, ToolResult>();
  const sizes = turn.map(({ result }) => textChars(result));
  let total = sizes.reduce((sum, chars) => sum + chars, 0);
  if (total <= deps.limits.turnChars) return replaced;
  const worthIt = deps.limits.previewChars * 2;
  const longestFirst = turn
    .map((sized, index) => ({ ...sized, index, chars: sizes[index] ?? 0 }))
    .filter(({ result, chars }) => chars > worthIt && !deps.spilled.has(result))
    .toSorted((a, b) => b.chars - a.chars);
  for (const { callId, result, index, chars } of longestFirst) {
    if (total <= deps.limits.turnChars) break;
    const shorter = await spillOver(result, callId, signal, deps);
    replaced.set(index, shorter);
    total -= chars - textChars(shorter);
  }
  return replaced;
}

const spillMs = 30_000;
const graceMs = 100;

async function spillOver(
  result: ToolResult,
  callId: CallId,
  signal: AbortSignal,
  { spill, spilled, clock, log, limits }: BoundDeps,
): Promise<ToolResult> {
  const whole = textOf(result);
  const shown = preview(whole, limits.previewChars);
  const writing = new AbortController();
  let kept: { readonly path: string } | { readonly why: string };
  try {
    const work = spill.spill(callId, whole, writing.signal);
    let waited = await waitFor(work, { signal, ms: spillMs, clock });
    // An interrupt ends the turn soon, but the output is still saved to its file.
    if (waited.how === "aborted") waited = await waitFor(work, { ms: graceMs, clock });
    if (waited.how === "done") kept = waited.value.ok ? waited.value.value : { why: waited.value.error.message };
    else kept = { why: "writing it took too long" };
  } catch (thrown) {
    kept = { why: reasonOf(thrown) };
  }
  writing.abort();
  if ("why" in kept) log.warn("tool.spill_failed", { callId, error: kept.why });
  const block =
    "path" in kept
      ? persistedBlock(shown, whole, kept.path)
      : `${shown}\n\n[Truncated: the first ${shown.length} of ${whole.length} characters are shown; the rest could not be saved: ${kept.why}]`;
  const shorter = withText(result, block);
  spilled.add(shorter);
  return shorter;
}

function persistedBlock(shown: string, whole: string, path: string): string {
  return [
    "<persisted-output>",
    `This result has ${whole.length} characters, too long to show here. All of it is in the file:`,
    path,
    "Use read_file with offset and limit to read the part you need.",
    "",
    `It begins with:`,
    shown,
    "</persisted-output>",
  ].join("\n");
}

/** The beginning of the text, up to a line end if that keeps at least half of it. */
function preview(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = cut(text, maxChars);
  const lineEnd = start.lastIndexOf("\n");
  const shown = lineEnd > start.length / 2 ? start.slice(0, lineEnd) : start;
  return `${shown}${closingTag(shown)}`;
}

function textOf(result: ToolResult): string {
  const texts = resultContent(result).flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (!result.ok) texts.unshift(result.error.message, ...dataText(result));
  return texts.join("\n");
}

/**
 * Replaces all texts of a result with one text; images and files stay. The data repeats the text, so it is removed too.
 */
function withText(result: ToolResult, text: string): ToolResult {
  const others = resultContent(result).filter((part) => part.type !== "text");
  const part: ContentPart = { type: "text", text };
  if (result.ok) return { ok: true, value: { content: [part, ...others] } };
  const { kind, effect } = result.error;
  return { ok: false, error: { kind, effect, message: text, ...(others.length > 0 && { content: others }) } };
}

/** Data that the model does not see is stored with the result, so the same size limit applies. */
function withoutLongData(result: ToolResult, maxChars: number): ToolResult {
  const { data, ...rest } = result.ok ? result.value : result.error;
  if (data === undefined || maxChars === Infinity || JSON.stringify(data).length <= maxChars) return result;
  // Safe cast: `rest` is the original without an optional field.
  return (result.ok ? { ok: true, value: rest } : { ok: false, error: rest }) as ToolResult;
}

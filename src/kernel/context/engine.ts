import { linkAbort } from "../../base/async/abort.ts";
import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { plural } from "../../base/text/text.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { ContextEngine, FitOutcome, FitRequest, HistoryItem } from "../../contracts/model/context.ts";
import type { Message, UserMessage } from "../../contracts/model/message.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import { shortenMessage, stubOldResults } from "./stubs.ts";
import { mechanicalSummary, summarize } from "./summarize.ts";
import { originalsOf, summaryMessage } from "./summary-message.ts";
import { messageSize } from "./tokens.ts";

export interface CompressionSettings {
  /** If false, Hermes compacts only when the user requests it. */
  readonly auto: boolean;
  /** Fraction of the window above which Hermes compacts. */
  readonly threshold: number;
  /** The threshold in tokens. If both limits are set, the smaller one applies. */
  readonly thresholdTokens?: number;
  /** The fraction of the threshold that messages kept verbatim may use. */
  readonly targetRatio: number;
  readonly protectLast: number;
  readonly timeoutMs: number;
}

export interface EngineDeps {
  readonly settings: CompressionSettings;
  readonly model: AuxiliaryModel;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

const largeWindow = 512_000;
const minThreshold = 64_000;
/** If the size is below this fraction of the threshold after the cheap steps, no summary is written. */
const enough = 0.6;
/** A summary is useless if the result is larger than this fraction of the original. */
const maxShare = 0.8;
/** Max fraction of the limit for messages that stay verbatim. */
const tailShare = 0.5;
const minTailChars = 1_000;
const defaultMessages = 8;
const fewMessages = 3;
/** Max messages of the user in one turn that stay verbatim. */
const maxUserMessages = 8;
/** The time after a mechanical summary during which Hermes requests no summary from a model. */
const restMs = 600_000;

export const compressorName = "compressor";

/**
 * Drops old tool results first, which needs no model. If that is not enough, a model writes a summary; if no model
 * answers, a mechanical summary is used.
 */
export function createCompressor({ settings, model, redactor, clock }: EngineDeps): ContextEngine {
  let restUntil = 0;

  async function fit(request: FitRequest, signal: AbortSignal): Promise<FitOutcome> {
    if (request.why === "overflow" && !settings.auto) {
      return {
        failed: "the session no longer fits the model, and compression.auto is off; compact it with /compress",
      };
    }
    const limit = limitFor(request, settings);
    const { start, tail } = chosenTail(request, limit, settings);
    const head = request.history.slice(0, start);
    const isTailShorter = tail.some((message, index) => message !== request.history[start + index]?.message);
    const done = (messages: readonly Message[], mechanical: boolean): FitOutcome => ({
      compaction: isTailShorter
        ? { covers: request.history.length, messages: [...messages, ...tail], mechanical }
        : { covers: start, messages, mechanical },
    });
    const sizeOf = (messages: readonly Message[]) =>
      [...messages, ...tail].reduce((sum, message) => sum + messageSize(message), request.fixedTokens);

    const stubs = stubOldResults(head);
    if (sizeOf(stubs) <= limit * enough && request.why !== "asked") return done(stubs, false);
    if (head.length === 0) return isTailShorter ? done([], false) : { failed: nothingToTake(request) };
    const summary = await sumUp(head, request, signal);
    if (signal.aborted) return { failed: "interrupted" };
    const withNotes = (text: string) =>
      summaryMessage(text, request.carry, originalsOf(head), task(request.history, start));
    const messages = withNotes(summary.text);
    const isShort = sizeOf(messages) <= maxShare * sizeOf(head.map(({ message }) => message));
    if (summary.isMechanical || isShort || request.why === "asked") return done(messages, summary.isMechanical);
    return done(withNotes(mechanicalSummary(head, redactor)), true);
  }

  async function sumUp(items: readonly HistoryItem[], request: FitRequest, signal: AbortSignal) {
    const mechanical = () => ({ text: mechanicalSummary(items, redactor), isMechanical: true });
    if (request.why !== "asked" && clock.elapsed() < restUntil) return mechanical();
    const { contextTokens: window } = request.model;
    const wish = {
      items,
      maxTokens: Math.round(Math.min(10_000, Math.max(Math.min(2_000, window / 5), window / 20))),
      maxInputChars: Math.min(160_000, window * 2),
      ...(request.focus !== undefined && { focus: request.focus }),
    };
    using link = linkAbort(signal);
    const summary = summarize(wish, { model, redactor }, link.signal);
    const waited = await waitFor(summary, { signal, ms: settings.timeoutMs, clock }).catch(() => undefined);
    if (waited?.how === "done" && waited.value.ok) return { text: waited.value.value, isMechanical: false };
    if (waited?.how !== "done") link.abort(new Error("it took too long"));
    if (!signal.aborted) restUntil = clock.elapsed() + restMs;
    return mechanical();
  }

  return {
    name: compressorName,
    preview: (request) => ({ covers: chosenTail(request, limitFor(request, settings), settings).start }),
    threshold: (facts) => (settings.auto ? thresholdFor(facts, settings) : Infinity),
    async fit(request, signal) {
      try {
        return await fit(request, signal);
      } catch (thrown) {
        return { failed: thrown instanceof Error ? thrown.message : String(thrown) };
      }
    },
  };
}

/**
 * The number of tokens at which Hermes compacts. The fraction is higher for small windows, as long as enough space for
 * an answer remains.
 */
export function thresholdFor(
  { contextTokens, maxOutputTokens = 0 }: ModelFacts,
  { threshold, thresholdTokens = Infinity }: Pick<CompressionSettings, "threshold" | "thresholdTokens">,
): number {
  const part = contextTokens < largeWindow ? Math.max(threshold, 0.75) : threshold;
  const room = contextTokens - Math.min(maxOutputTokens, contextTokens / 4);
  const tokens = Math.max(part * room, minThreshold);
  return Math.min(tokens >= contextTokens ? 0.85 * contextTokens : tokens, thresholdTokens);
}

function limitFor({ model, why, size }: FitRequest, settings: CompressionSettings): number {
  const limit = thresholdFor(model, settings);
  // The provider reported the real limit; the setting of the user may be lower.
  return why === "threshold" ? limit : Math.min(limit, size.tokens * 0.6);
}

/** Selects the last messages: at least eight, or three if eight are too large even when shortened. */
function chosenTail(
  { history, keepExchanges }: FitRequest,
  limit: number,
  { targetRatio, protectLast }: CompressionSettings,
) {
  if (keepExchanges !== undefined) {
    const start = exchangeStart(history, keepExchanges);
    return { start, tail: history.slice(start).map(({ message }) => message), fits: true };
  }
  const rules = { tokens: limit * targetRatio, messages: protectLast };
  const begins = turnStart(history);
  const tailFrom = (minMessages: number) => {
    const start = tailStart(history, { ...rules, minMessages });
    return { start, ...fittingTail(history.slice(start), limit * tailShare, begins - start) };
  };
  const defaultTail = tailFrom(Math.max(fewMessages, Math.min(protectLast, defaultMessages)));
  return defaultTail.fits ? defaultTail : tailFrom(fewMessages);
}

/** The index at which the last exchanges begin. */
function exchangeStart(history: readonly HistoryItem[], exchanges: number): number {
  const prompts = history.flatMap(({ isPrompt }, index) => (isPrompt ? [index] : []));
  return exchanges === 0 ? history.length : (prompts.at(-exchanges) ?? 0);
}

/** Shortens messages that are too long for their share of the window. In the current turn it shortens only results. */
function fittingTail(items: readonly HistoryItem[], tokens: number, begins: number) {
  let tail = items.map(({ message }) => message);
  const size = () => tail.reduce((sum, message) => sum + messageSize(message), 0);
  for (let maxChars = tokens * 2; size() > tokens && maxChars >= minTailChars; maxChars = Math.floor(maxChars / 2)) {
    tail = items.map((item, index) => shortenMessage(item, maxChars, index < begins));
  }
  return { tail, fits: size() <= tokens };
}

/** The prompt of this turn and later messages of the user, except those that are kept anyway. */
function task(history: readonly HistoryItem[], start: number): readonly UserMessage[] {
  const from = turnStart(history);
  if (from === -1) return [];
  const prompts = history.slice(from, start).flatMap(({ message }) => (message.role === "user" ? [message] : []));
  return prompts.length <= maxUserMessages ? prompts : [...prompts.slice(0, 1), ...prompts.slice(1 - maxUserMessages)];
}

/** Index of the prompt of the last turn. */
function turnStart(history: readonly HistoryItem[]): number {
  const begins = history.findLastIndex(({ isPrompt }) => isPrompt);
  return begins === -1 ? history.findLastIndex(({ message }) => message.role === "user") : begins;
}

function nothingToTake({ why, history }: FitRequest): string {
  return why === "asked"
    ? `There is nothing to shorten yet: the conversation has ${plural(history.length, "message")}, and the last ones always stay word for word. Nothing was changed.`
    : "the last messages alone fill the window; start again with /new, or use a model with a larger one";
}

interface TailRules {
  /** The limits for the last messages, which are kept verbatim. */
  readonly tokens: number;
  /** Number of messages to keep if they fit. */
  readonly messages: number;
  /** Number of messages to keep at any size. */
  readonly minMessages: number;
}

/** The last kept message may exceed the limit by this factor. */
const overshoot = 1.5;

/** The index of the first message that is kept. A message that calls tools is never separated from its results. */
function tailStart(history: readonly HistoryItem[], rules: TailRules): number {
  const { minMessages } = rules;
  const maxMessages = Math.max(rules.messages, minMessages);
  let start = history.length;
  let tokens = 0;
  while (start > 0 && history.length - start < maxMessages) {
    const item = history[start - 1];
    const size = item ? messageSize(item.message) : 0;
    if (history.length - start >= minMessages && (tokens >= rules.tokens || tokens + size > overshoot * rules.tokens))
      break;
    tokens += size;
    start -= 1;
  }
  while (start > 0 && history[start]?.message.role === "tool") start -= 1;
  return start;
}

import type { SessionId } from "../../base/ids.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { CarriedContext, ContextEngine, ContextSize } from "../../contracts/model/context.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { ModelFacts, ModelRequest, Usage } from "../../contracts/model/model.ts";
import type { AgentEventBody } from "../../contracts/session/event.ts";
import type { CompressPreview, ContextUse } from "../../contracts/session/runtime.ts";
import type { SessionLog } from "./record/session-log.ts";

/** Counts the tokens of requests. */
export interface ContextMeter {
  /** Records the provider's count of a request. Later sizes are based on it. */
  counted(request: Omit<ModelRequest, "model">, usage: Usage): void;
  /** The size of a request that is not sent yet. */
  size(request: Omit<ModelRequest, "model">): ContextSize;
  /** The size of system prompt and tools only. */
  fixed(request: Omit<ModelRequest, "model">): number;
  /** Loads the model's tokenizer, if there is one, and counts with it from then on. Loading takes a while. */
  sharpen?(request: Omit<ModelRequest, "model">, model: string): Promise<void>;
}

export interface ContextPorts {
  readonly engine: ContextEngine;
  readonly meter: ContextMeter;
  readonly log: SessionLog;
  /** Returns the next request with the current messages. */
  request(): Omit<ModelRequest, "model">;
  model(): ModelFacts;
  carry(): Promise<CarriedContext>;
  /** Called after a compaction: the model may no longer see files that it read. */
  shortened(): void;
  readonly hooks: HookBus;
  readonly sessionId: SessionId;
  emit(event: AgentEventBody): void;
}

export interface ContextKeeper {
  use(): ContextUse;
  /** Compacts if the next request would exceed the threshold, at most `maxPerTurn` times per turn. */
  fit(signal: AbortSignal): Promise<Result<void, string>>;
  /** Compacts immediately, because the provider reported an overflow or the user requested it. */
  shorten(
    why: "overflow" | "asked",
    focus: string | undefined,
    signal: AbortSignal,
    keepExchanges?: number,
  ): Promise<Shortened>;
  /** Returns the part of the history that `shorten` would replace. Uses no model and changes nothing. */
  preview(keepExchanges?: number): Result<CompressPreview, string>;
  /** Called at the start of a turn. */
  begin(): void;
}

interface CompactWish {
  readonly focus: string | undefined;
  readonly keepExchanges: number | undefined;
}

const noCarry: CarriedContext = { todos: [], files: [], approvals: [], processes: [] };

type Why = "threshold" | "overflow" | "asked";
type Shortened = Result<{ readonly before: number; readonly after: number; readonly mechanical: boolean }, string>;

const maxPerTurn = 2;
/** A compaction that saves less than this fraction is discarded, because the next turn would need another one. */
const minSavedShare = 0.1;
/** Above this fraction of the threshold, Hermes counts tokens exactly instead of estimating. */
const nearThreshold = 0.75;
/** The growth of the context after which Hermes retries a compaction that did not help. */
const grownBy = 1.1;

export function createContextKeeper(ports: ContextPorts): ContextKeeper {
  const { engine, meter, log, hooks, sessionId, emit } = ports;
  let attempts = 0;
  /** The size above which Hermes retries a compaction that did not help. */
  let gaveUpAt = 0;
  let sharpenedFor: string | undefined;

  /** The size of the next request, counted exactly near the threshold. */
  async function sizeNow(model: ModelFacts): Promise<number> {
    const request = ports.request();
    const { tokens, estimated } = meter.size(request);
    const isClose = estimated && tokens >= nearThreshold * engine.threshold(model);
    const isOfAnother = sharpenedFor !== undefined && sharpenedFor !== model.model;
    if (!meter.sharpen || !(isClose || isOfAnother)) return tokens;
    sharpenedFor = model.model;
    // Falls back to the estimate if the tokenizer does not load.
    await meter.sharpen(request, model.model).catch(() => {});
    return meter.size(request).tokens;
  }

  /** A failure in any step leaves the history unchanged. */
  async function shorten(
    why: Why,
    focus: string | undefined,
    signal: AbortSignal,
    keepExchanges?: number,
  ): Promise<Shortened> {
    try {
      return await compact(why, { focus, keepExchanges }, signal);
    } catch (thrown) {
      return err(reasonOf(thrown));
    }
  }

  async function compact(why: Why, wish: CompactWish, signal: AbortSignal): Promise<Shortened> {
    const request = ports.request();
    const size = meter.size(request);
    const history = log.history.items;
    await hooks.notify("beforeCompression", { sessionId, messages: request.messages, tokens: size.tokens }, signal);
    emit({ type: "context.compacting", why, tokens: size.tokens });
    const outcome = await engine.fit(
      {
        history,
        size,
        fixedTokens: meter.fixed(request),
        model: ports.model(),
        carry: await ports.carry(),
        why,
        ...withoutUndefined(wish),
      },
      signal,
    );
    if ("failed" in outcome) return err(outcome.failed);
    const { compaction } = outcome;
    const through = log.history.endOf(compaction.covers);
    if (through === undefined || compaction.covers === 0) return err("there is nothing to shorten yet");
    const last = compaction.covers - 1;
    if (log.history.items[last]?.message !== history[last]?.message) return err("the conversation changed meanwhile");
    const after = estimatedAfter(request, compaction.covers, compaction.messages);
    const tokensAfter = meter.size(after).tokens;
    if (tokensAfter > size.tokens * (1 - minSavedShare)) {
      return err(tooLittle(why, size.tokens, tokensAfter, engine.threshold(ports.model())));
    }
    if (signal.aborted) return err("interrupted");
    const { messages } = compaction;
    const facts = {
      through,
      tokensBefore: size.tokens,
      tokensAfter,
      ...(compaction.mechanical && { mechanical: true as const }),
    };
    await log.append([{ type: "compacted", messages, ...facts }]);
    ports.shortened();
    emit({ type: "context.compacted", ...facts });
    await hooks.notify("afterCompression", { sessionId, tokensBefore: size.tokens, tokensAfter }, signal);
    return ok({ before: size.tokens, after: tokensAfter, mechanical: compaction.mechanical });
  }

  return {
    use() {
      const model = ports.model();
      const { tokens, estimated } = meter.size(ports.request());
      const messages = log.history.messages.length;
      const { contextTokens: window } = model;
      return { tokens, estimated, window, threshold: Math.min(engine.threshold(model), window), messages };
    },
    begin: () => void (attempts = 0),
    async fit(signal) {
      const model = ports.model();
      const tokens = await sizeNow(model);
      if (tokens < engine.threshold(model) || tokens <= gaveUpAt || attempts >= maxPerTurn) return ok(undefined);
      attempts += 1;
      const shortened = await shorten("threshold", undefined, signal);
      const left = shortened.ok ? shortened.value.after : tokens;
      if (!signal.aborted && left >= engine.threshold(model)) gaveUpAt = left * grownBy;
      // As long as the request fits the window, the turn continues, and the user gets a notice.
      if (!shortened.ok && !signal.aborted) {
        emit({ type: "notice", level: "warn", text: `The context could not be shortened: ${shortened.error}` });
      }
      return ok(undefined);
    },
    async shorten(why, focus, signal, keepExchanges) {
      if (why === "overflow") {
        if (attempts >= maxPerTurn) return err("it was shortened already and is still too large");
        attempts += 1;
      }
      return shorten(why, focus, signal, keepExchanges);
    },
    preview(keepExchanges) {
      const request = ports.request();
      const size = meter.size(request);
      const history = log.history.items;
      const model = ports.model();
      const facts = { size, fixedTokens: meter.fixed(request), model, carry: noCarry, why: "asked" as const };
      const preview = engine.preview?.({ history, ...facts, ...withoutUndefined({ keepExchanges }) });
      if (!preview) return err(`the context engine ${engine.name} has no preview`);
      const kept = history.slice(preview.covers);
      const tokens = (from: number, to?: number) =>
        meter.size({ ...request, system: [], tools: [], messages: request.messages.slice(from, to) }).tokens;
      const first = kept.find(({ isPrompt }) => isPrompt)?.message.content[0];
      return ok({
        replaced: preview.covers,
        replacedTokens: tokens(0, preview.covers),
        kept: kept.length,
        keptTokens: tokens(preview.covers),
        ...(first?.type === "text" && { keptFrom: first.text }),
      });
    },
  };
}

function tooLittle(why: Why, before: number, after: number, threshold: number): string {
  if (why !== "asked") {
    return `compacting would save too little (${before} → ${after} tokens); start again with /new, or use a model with a larger window`;
  }
  const later = Number.isFinite(threshold) ? ` By itself it is done from ${Math.round(threshold)} tokens on.` : "";
  return `There is little to shorten yet: this conversation takes ${before} tokens, system prompt and tools included, and with a summary it would take ${after}. Nothing was changed.${later}`;
}

function estimatedAfter(
  request: Omit<ModelRequest, "model">,
  covers: number,
  messages: readonly Message[],
): Omit<ModelRequest, "model"> {
  const { cacheMarks: _, ...rest } = request;
  return { ...rest, messages: [...messages, ...request.messages.slice(covers)] };
}

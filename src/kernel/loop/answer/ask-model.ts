import { linkAbort } from "../../../base/async/abort.ts";
import type { Clock } from "../../../base/clock.ts";
import type { AssistantMessage } from "../../../contracts/model/message.ts";
import type {
  ClassifyError,
  ConsultedModel,
  ModelClient,
  ModelError,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  Usage,
} from "../../../contracts/model/model.ts";
import type { AgentEventBody } from "../../../contracts/session/event.ts";
import type { AnsweringModel } from "./partial-answers.ts";

export type ModelReply =
  | {
      readonly how: "answered";
      readonly message: AssistantMessage;
      readonly usage: Usage;
      readonly by: ModelFacts;
      readonly addedTokens?: number;
    }
  | { readonly how: "failed"; readonly error: ModelError }
  /** Earlier requests have used up the budget. */
  | { readonly how: "refused"; readonly why: string }
  /** The user sent a message that the model should read first. */
  | { readonly how: "redirected" }
  | { readonly how: "aborted"; readonly partial: string };

export type AttemptStart = Omit<Extract<ModelEvent, { readonly type: "called" }>, "type">;
export type AttemptFailure = Pick<Extract<ModelEvent, { readonly type: "failed" }>, "error" | "next" | "waitMs">;

export interface ModelCallPorts {
  readonly model: ModelClient;
  readonly clock: Pick<Clock, "elapsed">;
  emit(event: AgentEventBody): void;
  /** Called when the request starts, before the first token arrives. */
  asking?(): void;
  /** Records the cost of a consulted model. Returns why no further model may be called, or undefined if one may. */
  consulted(of: ConsultedModel): Promise<string | undefined>;
  /** Lets hooks classify an error. */
  readonly classify?: ClassifyError;
  /** Called before each attempt and after each failed attempt. */
  called?(attempt: AttemptStart): void;
  failed?(attempt: AttemptFailure): void;
  /** Called when an answer was interrupted, with its length in characters. */
  brokeOff?(chars: number, by: AnsweringModel): void;
  /** Returns why neither a retry nor a fallback is allowed, or undefined if they are. */
  again?(): Promise<string | undefined>;
  /** Calls `stop` when the user redirects the turn. Disposing the result ends this. */
  onRedirect(stop: () => void): Disposable;
}

/**
 * Makes one request and emits its events as they arrive. Ends within milliseconds of an abort, even if the client does
 * not.
 */
export async function askModel(
  request: Omit<ModelRequest, "model">,
  { model, clock, emit, asking, consulted, classify, called, failed, brokeOff, again, onRedirect }: ModelCallPorts,
  signal: AbortSignal,
): Promise<ModelReply> {
  using link = linkAbort(signal);
  let isRedirected = false;
  using _redirect = onRedirect(() => {
    isRedirected = true;
    link.abort();
  });
  let reply = "";
  let refusal: string | undefined;
  let receivedChars = 0;
  let endless = createEndlessAnswer(clock);
  let by: AnsweringModel = model.facts();
  const breakOff = () => {
    if (receivedChars > 0) brokeOff?.(receivedChars, by);
    receivedChars = 0;
  };
  const stopped = (): ModelReply => {
    breakOff();
    return isRedirected ? { how: "redirected" } : { how: "aborted", partial: reply };
  };
  const events = model.stream(request, link.signal, classify)[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = () => aborted.resolve(undefined);
  link.signal.addEventListener("abort", onAbort, { once: true });
  if (link.signal.aborted) return stopped();
  // Releases the stream without waiting for it.
  using _events = { [Symbol.dispose]: () => void events.return?.().catch(() => undefined) };
  while (true) {
    const next = await Promise.race([events.next(), aborted.promise]);
    if (next === undefined || link.signal.aborted) return stopped();
    if (next.done)
      return { how: "failed", error: { kind: "malformed", message: "the model client ended without an answer" } };
    const event = next.value;
    if ("delta" in event) receivedChars += event.delta.length;
    if ((event.type === "text" || event.type === "reasoning") && endless.add(event.delta)) {
      link.abort();
      breakOff();
      return {
        how: "failed",
        error: { kind: "malformed", message: "the model repeated the same text over and over and was stopped" },
      };
    }
    switch (event.type) {
      case "text":
        reply += event.delta;
        emit({ type: "text.delta", delta: event.delta });
        break;
      case "reasoning":
        emit({ type: "reasoning.delta", delta: event.delta });
        break;
      case "call":
        break;
      case "consulted": {
        const { type: _, ...of } = event;
        refusal = (await consulted(of)) ?? refusal;
        emit({ type: "model.consulted", ...of });
        break;
      }
      case "called":
        // Emitted before the request.
        if (event.attempt > 1) refusal ??= await again?.();
        by = askedModel(event, model.facts());
        if (refusal !== undefined) return { how: "refused", why: refusal };
        endless = createEndlessAnswer(clock);
        called?.(event);
        asking?.();
        emit({ type: "model.called", provider: event.provider, model: event.model, attempt: event.attempt });
        break;
      case "failed": {
        breakOff();
        if (event.next !== "give_up") reply = "";
        failed?.(event);
        emit({ ...event, type: "model.failed" });
        break;
      }
      case "finish": {
        const { type: _, ...answer } = event;
        return { how: "answered", ...answer };
      }
      case "error":
        breakOff();
        failed?.({ error: event.error, next: "give_up" });
        return { how: "failed", error: event.error };
    }
  }
}

/** Uses the price of the model that is tried first, because the answering model is not known yet. */
function askedModel({ provider, model }: Pick<ModelFacts, "provider" | "model">, facts: ModelFacts): AnsweringModel {
  return facts.provider === provider && facts.model === model ? facts : { provider, model };
}

/** Monitors an answer while it streams. */
interface EndlessAnswer {
  /** True if the answer has repeated itself for so long that it will not end. */
  add(delta: string): boolean;
}

/**
 * The maximum number of repeated characters: one limit for words, and a higher one for signs, because rulers and rows
 * of zeros are longer.
 */
const maxWordRepeats = 8_000;
const maxSignRepeats = 40_000;
/** A user may request a long text of one repeated sentence; such a text arrives quickly. */
const maxMs = 60_000;
/** The maximum length of a repeated part, and the number of characters between two searches. */
const maxUnitChars = 400;
const step = 4_000;
/** The length of the end of the text that is searched for in the text before it. */
const probe = 64;

export function createEndlessAnswer(clock: Pick<Clock, "elapsed">): EndlessAnswer {
  let tail = "";
  let waiting = 0;
  let since: number | undefined;

  return {
    add(delta) {
      tail += delta;
      waiting += delta.length;
      if (waiting < step) return false;
      tail = tail.slice(-maxSignRepeats);
      waiting = 0;
      const now = clock.elapsed();
      since = isRepeated(tail) ? (since ?? now) : undefined;
      return since !== undefined && now - since >= maxMs;
    },
  };
}

function isRepeated(text: string): boolean {
  const end = text.slice(-probe);
  const before = text.slice(-probe - maxUnitChars, -1).lastIndexOf(end);
  if (before === -1) return false;
  const period = maxUnitChars - before;
  const maxRepeats = /\p{L}{3}/u.test(text.slice(-2 * period)) ? maxWordRepeats : maxSignRepeats;
  const part = text.slice(-maxRepeats);
  return part.length === maxRepeats && part.slice(period) === part.slice(0, -period);
}

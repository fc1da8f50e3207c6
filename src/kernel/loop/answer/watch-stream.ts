import type { Clock } from "../../../base/clock.ts";
import type { SessionId, TurnId } from "../../../base/ids.ts";
import type { InModelCall } from "../../../contracts/host/hook-events.ts";
import type { HookBus } from "../../../contracts/host/hook.ts";
import type { ChangeNote } from "../../../contracts/host/middleware.ts";
import type { AssistantMessage } from "../../../contracts/model/message.ts";
import type { ClassifyError, ModelFacts, ModelRequest, Usage } from "../../../contracts/model/model.ts";
import type { AgentEventBody } from "../../../contracts/session/event.ts";
import type { AttemptFailure, AttemptStart } from "./ask-model.ts";

interface WatchedPorts {
  readonly hooks: HookBus;
  readonly clock: Clock;
  readonly limits: { readonly retries?: number };
  emit(event: AgentEventBody): void;
}

/** One request, with the facts that its hooks get. */
interface WatchedRequest {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly requestId: string;
  readonly callCount: number;
  readonly request: ModelRequest;
  readonly trace: readonly ChangeNote[];
  tokens(): number;
}

/** Calls the hooks about one request: its attempts, and the answer while it arrives. Does nothing without listeners. */
export function watchStream(
  { request, trace, tokens, ...ids }: WatchedRequest,
  first: Pick<ModelFacts, "provider" | "model">,
  { hooks, clock, limits, emit }: WatchedPorts,
  signal: AbortSignal,
) {
  const { sessionId, turnId, requestId } = ids;
  const about = { sessionId, turnId, requestId };
  const isStreamed = hooks.has("streamStart") || hooks.has("streamDelta") || hooks.has("streamEnd");
  let attempt: InModelCall<object> = { ...ids, attempt: 1, provider: first.provider, model: first.model };
  let startedAt = clock.now();
  let started = clock.elapsed();
  let firstChunkAt: number | undefined;
  let streamed: { text: string } | undefined;
  let isReported = false;

  const sent = (): ModelRequest => ({ ...request, model: attempt.model });
  const classify: ClassifyError = async (error) => {
    const { provider, model } = attempt;
    const { status } = error;
    const facts = { error, body: error.message, ...(status !== undefined && { status }), provider, model };
    return (await hooks.ask("classifyModelError", { ...about, ...facts }, signal)) ?? error;
  };
  function endStream(): void {
    if (!streamed) return;
    void hooks.notify("streamEnd", { ...about, model: attempt.model, text: streamed.text }, signal);
    streamed = undefined;
  }
  function addDelta(delta: string): void {
    if (!streamed) void hooks.notify("streamStart", { ...about, model: attempt.model }, signal);
    streamed = { text: (streamed?.text ?? "") + delta };
    void hooks.notify("streamDelta", { ...about, delta }, signal);
  }

  return {
    ...(hooks.has("classifyModelError") && { classify }),
    called({ endpoint, ...start }: AttemptStart): void {
      const { protocol, baseUrl } = endpoint ?? {};
      attempt = {
        ...ids,
        ...start,
        ...(protocol !== undefined && { protocol }),
        ...(baseUrl !== undefined && { baseUrl }),
      };
      [startedAt, started, firstChunkAt, isReported] = [clock.now(), clock.elapsed(), undefined, false];
      if (!hooks.has("beforeModelCall")) return;
      void hooks.notify("beforeModelCall", { ...attempt, request: sent(), tokens: tokens(), startedAt, trace }, signal);
    },
    failed({ error, next, waitMs }: AttemptFailure): void {
      endStream();
      // A client that gives up reports the last failure first, then ends with the same error.
      if (isReported || !hooks.has("modelCallFailed")) return;
      isReported = true;
      const retries = limits.retries === undefined ? {} : { maxRetries: limits.retries };
      const timing = { startedAt, durationMs: clock.elapsed() - started, ...(waitMs !== undefined && { waitMs }) };
      void hooks.notify("modelCallFailed", { ...attempt, request: sent(), error, next, ...retries, ...timing }, signal);
    },
    answered(response: AssistantMessage, usage: Usage): void {
      if (!hooks.has("afterModelCall")) return;
      const durationMs = clock.elapsed() - started;
      const timing = { startedAt, endedAt: startedAt + durationMs, durationMs };
      void hooks.notify(
        "afterModelCall",
        {
          ...attempt,
          request: sent(),
          response,
          usage,
          ...timing,
          ...(firstChunkAt !== undefined && { firstChunkAt }),
        },
        signal,
      );
    },
    end: endStream,
    emit(event: AgentEventBody): void {
      emit(event);
      if (event.type !== "text.delta" && event.type !== "reasoning.delta") return;
      firstChunkAt ??= clock.now();
      if (isStreamed && event.type === "text.delta") addDelta(event.delta);
    },
  };
}

/** Reports text next to tool calls to observers. */
export function reportInterim(
  { content }: AssistantMessage,
  { id: turnId, requestId }: { readonly id: TurnId; readonly requestId: string },
  { hooks, scope: { sessionId } }: { readonly hooks: HookBus; readonly scope: { readonly sessionId: SessionId } },
  signal: AbortSignal,
): void {
  if (!hooks.has("interimMessage")) return;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text.trim() !== "") void hooks.notify("interimMessage", { sessionId, turnId, requestId, text }, signal);
}

import type { Clock } from "../../../base/clock.ts";
import { newId, type RequestId } from "../../../base/ids.ts";
import { isObject } from "../../../base/json.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { HookBus } from "../../../contracts/host/hook.ts";
import type { MiddlewareRequest, ModelAnswer } from "../../../contracts/host/middleware.ts";
import type { ConsultedModel, ModelClient, ModelRequest } from "../../../contracts/model/model.ts";
import type { AgentEventBody } from "../../../contracts/session/event.ts";
import type { StoredDraft } from "../../../contracts/session/session.ts";
import type { CallScope } from "../../../contracts/tool/dispatch.ts";
import { changeRequest, runExecution } from "../../middleware.ts";
import type { ContextMeter } from "../context-keeper.ts";
import type { SessionLog } from "../record/session-log.ts";
import type { SpendGuard } from "../spend-guard.ts";
import type { Steering } from "../steering.ts";
import { addUsage, type TurnState } from "../turn-state.ts";
import { askModel, type ModelReply } from "./ask-model.ts";
import { createPartialAnswers } from "./partial-answers.ts";
import { watchStream } from "./watch-stream.ts";

interface ModelCallPorts {
  model(): ModelClient;
  readonly hooks: HookBus;
  readonly log: SessionLog;
  readonly draft?: StoredDraft;
  readonly meter: ContextMeter;
  readonly spend: SpendGuard;
  readonly steering: Steering;
  readonly scope: Pick<CallScope, "sessionId">;
  readonly limits: { readonly retries?: number };
  readonly clock: Clock;
  readonly logger: Logger;
  asking?(): void;
  emit(event: AgentEventBody): void;
}

type Asking = Omit<ModelRequest, "model">;

/**
 * Sends one request to the model of the session, wrapped by middleware. Records the cost of consulted models and
 * interrupted answers.
 */
export async function callModel(
  request: Asking,
  state: TurnState,
  ports: ModelCallPorts,
  signal: AbortSignal,
): Promise<ModelReply> {
  const model = ports.model();
  state.modelCalls += 1;
  state.requestId = newId<RequestId>("req");
  const isWrapped =
    ports.hooks.middleware("modelRequest").length > 0 || ports.hooks.middleware("modelExecution").length > 0;
  return isWrapped
    ? callWrapped(request, model, state, ports, signal)
    : askWatched(request, model, [], state, ports, signal);
}

/** Sends the request as middleware changed it, inside the execution middleware. */
async function callWrapped(
  request: Asking,
  model: ModelClient,
  state: TurnState,
  ports: ModelCallPorts,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { hooks, clock, logger: log, scope } = ports;
  const { provider, model: name } = model.facts();
  const original: ModelRequest = { ...request, model: name };
  const about: MiddlewareRequest = {
    sessionId: scope.sessionId,
    turnId: state.id,
    requestId: state.requestId,
    callCount: state.modelCalls,
    provider,
    request: original,
    originalRequest: original,
  };
  const read = (answer: Record<string, unknown>, value: MiddlewareRequest) =>
    isRequest(answer.request) ? { ...value, request: answer.request } : undefined;
  const changed = await changeRequest(hooks.middleware("modelRequest"), about, read, signal, { clock, log });
  let reply: ModelReply | undefined;
  const ask = async ({ request: { model: _, ...sent } }: MiddlewareRequest): Promise<ModelAnswer> => {
    reply = await askWatched(sent, model, changed.trace, state, ports, signal);
    if (reply.how !== "answered") throw new Error(reply.how === "failed" ? reply.error.message : reply.how);
    return { message: reply.message, usage: reply.usage };
  };
  const wrapped = hooks.middleware("modelExecution").map(({ run, ...one }) => ({
    ...one,
    run: (current: MiddlewareRequest, next: (changed?: MiddlewareRequest) => Promise<ModelAnswer>, own: AbortSignal) =>
      run(current, (sent) => next(sent && { ...current, request: sent }), own),
  }));
  try {
    const answer = await runExecution(wrapped, changed.value, ask, isAnswer, signal, { clock, log });
    return { ...(reply?.how === "answered" ? reply : { by: model.facts() }), how: "answered", ...answer };
  } catch {
    return reply ?? { how: "aborted", partial: "" };
  }
}

function isRequest(value: unknown): value is ModelRequest {
  return isObject(value) && [value.messages, value.system, value.tools].every(Array.isArray);
}

function isAnswer(value: unknown): value is ModelAnswer {
  if (!isObject(value) || !isObject(value.message) || !isObject(value.usage)) return false;
  return Array.isArray(value.message.content) && Array.isArray(value.message.calls);
}

async function askWatched(
  request: Asking,
  model: ModelClient,
  trace: Parameters<typeof watchStream>[0]["trace"],
  state: TurnState,
  ports: ModelCallPorts,
  signal: AbortSignal,
): Promise<ModelReply> {
  const facts = model.facts();
  const watched = watchStream(
    {
      sessionId: ports.scope.sessionId,
      turnId: state.id,
      requestId: state.requestId,
      callCount: state.modelCalls,
      request: { ...request, model: facts.model },
      trace,
      tokens: () => ports.meter.size(request).tokens,
    },
    facts,
    ports,
    signal,
  );
  const { add: brokeOff, book: bookBroken } = createPartialAnswers(request, state.id, ports);
  const reply = await askModel(
    request,
    {
      ...ports,
      ...watched,
      called(attempt) {
        ports.draft?.begin(state.id);
        watched.called(attempt);
      },
      emit(event) {
        if (event.type === "text.delta") ports.draft?.add(event.delta);
        watched.emit(event);
      },
      model,
      consulted: (of) => bookConsulted(of, state, ports),
      brokeOff,
      async again() {
        state.usage = addUsage(state.usage, await bookBroken());
        return ports.spend.refusal(state.usage);
      },
      onRedirect: ports.steering.onRedirect,
    },
    signal,
  );
  watched.end();
  state.usage = addUsage(state.usage, await bookBroken());
  if (reply.how === "answered") watched.answered(reply.message, reply.usage);
  if (reply.how === "failed") watched.failed({ error: reply.error, next: "give_up" });
  return reply;
}

/** Records the cost of a consulted model. Returns why no further model may be called, or undefined if one may. */
async function bookConsulted(
  { provider, model, usage }: ConsultedModel,
  state: TurnState,
  { log, spend }: ModelCallPorts,
): Promise<string | undefined> {
  if (!usage) return undefined;
  await log.append([{ type: "usage", turnId: state.id, provider, model, task: "moa_reference", usage }]);
  state.usage = addUsage(state.usage, log.takeAuxiliary());
  return spend.refusal(state.usage);
}

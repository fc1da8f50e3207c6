import type { SessionId, TurnId } from "../../../base/ids.ts";
import type { HookBus } from "../../../contracts/host/hook.ts";
import type { AssistantMessage } from "../../../contracts/model/message.ts";
import type { ClassifyError, ModelClient } from "../../../contracts/model/model.ts";
import type { AgentEventBody } from "../../../contracts/session/event.ts";

interface WatchedPorts {
  readonly hooks: HookBus;
  readonly scope: { readonly sessionId: SessionId };
  model(): Pick<ModelClient, "facts">;
  emit(event: AgentEventBody): void;
}

/** The hooks about one answer while it arrives. Costs nothing without listeners. */
export function watchStream(turn: { readonly id: TurnId }, ports: WatchedPorts, signal: AbortSignal) {
  const { hooks, emit } = ports;
  const about = { sessionId: ports.scope.sessionId, turnId: turn.id };
  const classify: ClassifyError = async (error) =>
    (await hooks.ask("classifyModelError", { ...about, error, body: error.message, ...statusOf(error) }, signal)) ??
    error;
  const hasListener = hooks.has("streamStart") || hooks.has("streamDelta") || hooks.has("streamEnd");
  let model: string | undefined;
  const end = () => {
    if (model !== undefined) void hooks.notify("streamEnd", { ...about, model }, signal);
    model = undefined;
  };
  return {
    classify: hooks.has("classifyModelError") ? { classify } : {},
    end,
    emit: hasListener
      ? (event: AgentEventBody) => {
          emit(event);
          if (event.type === "model.failed") end();
          if (event.type !== "text.delta") return;
          if (model === undefined) {
            model = ports.model().facts().model;
            void hooks.notify("streamStart", { ...about, model }, signal);
          }
          void hooks.notify("streamDelta", { ...about, delta: event.delta }, signal);
        }
      : emit,
  };
}

/** Text beside tool calls, for observers. */
export function reportInterim(
  { content }: AssistantMessage,
  turnId: TurnId,
  { hooks, scope: { sessionId } }: Pick<WatchedPorts, "hooks" | "scope">,
  signal: AbortSignal,
): void {
  if (!hooks.has("interimMessage")) return;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text.trim() !== "") void hooks.notify("interimMessage", { sessionId, turnId, text }, signal);
}

function statusOf({ status }: { readonly status?: number }): { readonly status?: number } {
  return status === undefined ? {} : { status };
}

import type { TurnId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { ContentPart, Message, UserMessage } from "../../contracts/model/message.ts";
import type { ModelClient } from "../../contracts/model/model.ts";
import type { TurnOutcome } from "../../contracts/session/event.ts";
import type { CallScope } from "../../contracts/tool/dispatch.ts";

interface HookedPorts {
  readonly hooks: HookBus;
  readonly log: { readonly history: { readonly messages: readonly Message[] } };
  readonly scope: Pick<CallScope, "sessionId">;
  model(): Pick<ModelClient, "facts">;
  /** Stores a text that is too long for a prompt. */
  spill?(id: string, text: string, signal: AbortSignal): Promise<Result<{ readonly path: string }>>;
}

/** The text that plugins add to the prompt of this turn. The prompt is identified by its content. */
export interface Addition {
  readonly to: string;
  readonly text: string;
}

/**
 * Calls the hooks for the start of a turn. Returns the text that plugins add to the prompt; it is part of this turn's
 * requests only.
 */
export async function beginTurn(
  turnId: TurnId,
  prompt: UserMessage,
  ports: HookedPorts,
  signal: AbortSignal,
): Promise<Addition | undefined> {
  const { hooks } = ports;
  if (!hooks.has("turnStart") && !hooks.has("beforeTurn")) return undefined;
  const history = ports.log.history.messages;
  const event = {
    sessionId: ports.scope.sessionId,
    turnId,
    prompt: prompt.content,
    history,
    model: ports.model().facts().model,
    isFirstTurn: history.length <= 1,
  };
  void hooks.notify("turnStart", event, signal);
  const reply = await hooks.ask("beforeTurn", event, signal);
  return (
    reply && { to: JSON.stringify(prompt.content), text: await boundContext(reply.context, turnId, ports, signal) }
  );
}

/** Calls the hooks for the end of a turn. If the user stopped the turn, Hermes does not wait for them. */
export async function endTurn(
  turnId: TurnId,
  { content }: UserMessage,
  outcome: TurnOutcome,
  { hooks, log, scope, model }: HookedPorts,
): Promise<void> {
  if (!hooks.has("turnEnd")) return;
  const { reason, text, why, usage } = outcome;
  const notified = hooks.notify(
    "turnEnd",
    {
      sessionId: scope.sessionId,
      turnId,
      outcome: reason,
      text,
      ...(why !== undefined && { why }),
      prompt: content,
      messages: log.history.messages,
      model: model().facts().model,
      usage,
    },
    AbortSignal.timeout(hookMs),
  );
  if (reason !== "aborted") await notified;
}

const hookMs = 5_000;
const maxContextChars = 10_000;
const previewChars = 500;

/** Writes a long text to a file; the prompt gets its start and end. */
async function boundContext(
  text: string,
  turnId: TurnId,
  { spill }: HookedPorts,
  signal: AbortSignal,
): Promise<string> {
  if (text.length <= maxContextChars) return text;
  const stored = await spill?.(`context_${turnId}`, text, signal);
  const where = stored?.ok ? `read the whole text with read_file: ${stored.value.path}` : "the rest is not available";
  return `${text.slice(0, previewChars)}\n\n[… ${text.length} characters of hooks; ${where} …]\n\n${text.slice(-previewChars)}`;
}

/** The next turn does not contain the plugin text, so the part before it gets its own cache mark. */
export function withAddition(
  messages: readonly Message[],
  { to, text }: Addition,
): { readonly messages: readonly Message[]; readonly cacheMarks: readonly number[] } | undefined {
  const index = messages.findLastIndex(({ role, content }) => role === "user" && JSON.stringify(content) === to);
  const prompt = messages[index];
  if (prompt?.role !== "user") return undefined;
  const part: ContentPart = { type: "text", text };
  return {
    messages: messages.with(index, { ...prompt, content: [...prompt.content, part] }),
    cacheMarks: [index - 1, messages.length - 1].filter((mark) => mark >= 0),
  };
}

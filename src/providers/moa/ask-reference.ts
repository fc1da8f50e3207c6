import { abortable, linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf, type Result } from "../../base/result.ts";
import type { AssistantMessage, Message } from "../../contracts/model/message.ts";
import type { ConsultedModel, ModelClient, ModelError, ModelRequest } from "../../contracts/model/model.ts";
import type { NamedModel } from "../endpoints/model-settings.ts";
import { textConversation } from "./text-conversation.ts";

export interface ReferenceModel extends NamedModel {
  /** The client of the model. An error says why the model is unavailable. */
  readonly client: Result<ModelClient>;
}

export interface ReferenceDeps {
  /** The system prompt. Default: a prompt for a model that advises the assistant of the conversation. */
  readonly instructions?: string;
  readonly maxTokens: number;
  readonly timeoutMs: number;
  /** Masks secrets in everything that is sent to the model. */
  redact(text: string): string;
  readonly clock: Clock;
}

/** Requests advice on the conversation from one model. Never rejects; a timeout is reported as an error. */
export async function askReference(
  { provider, model, client }: ReferenceModel,
  request: Omit<ModelRequest, "model">,
  deps: ReferenceDeps,
  signal: AbortSignal,
): Promise<ConsultedModel> {
  const { clock, timeoutMs } = deps;
  const startedAt = clock.elapsed();
  const durationMs = () => Math.round(clock.elapsed() - startedAt);
  if (!client.ok) {
    const error: ModelError = { kind: "not_found", message: client.error.message };
    return { provider, model, durationMs: durationMs(), error };
  }
  using link = linkAbort(signal);
  using _timer = clock.after(timeoutMs, () => link.abort());
  const failed = (thrown: unknown): Answer => ({ error: { kind: "malformed", message: reasonOf(thrown) } });
  // Returns on abort even if the client ignores its signal.
  const answer = await abortable(answerOf(client.value, request, deps, link.signal), link.signal).catch(failed);
  const isLate = answer.error !== undefined && link.signal.aborted && !signal.aborted;
  const late: ModelError = {
    kind: "stalled",
    message: `no answer within ${timeoutMs / 1000} s (moa.reference_timeout)`,
  };
  return { provider, model, durationMs: durationMs(), ...(isLate ? { error: late } : answer) };
}

type Answer = Pick<ConsultedModel, "text" | "error" | "usage">;

/** If the conversation is still too long, retries once with its newer half. */
async function answerOf(
  client: ModelClient,
  { messages, conversation, cacheMarks = [], cacheTtl }: Omit<ModelRequest, "model">,
  { maxTokens: maxAnswerTokens, redact, instructions = advising }: ReferenceDeps,
  signal: AbortSignal,
): Promise<Answer> {
  const { contextTokens } = client.facts();
  const maxTokens = Math.min(maxAnswerTokens, Math.floor(contextTokens / 2));
  let room = (contextTokens - maxTokens) * charsPerToken - instructions.length;
  for (let isLast = false; ; isLast = true) {
    const texts = textConversation(messages, room).map((message) => redacted(message, redact));
    if (texts.length === 0) return { error: { kind: "invalid_request", message: "there is no text to answer yet" } };
    const asking = {
      system: [{ text: instructions }],
      messages: texts,
      tools: [],
      ...(cacheMarks.length > 0 && { cacheMarks: [texts.length - 1] }),
      ...(cacheTtl && { cacheTtl }),
      maxTokens,
      ...(conversation !== undefined && { conversation }),
    };
    const answer = await ask(client, asking, signal);
    const isTooLong = answer.error?.kind === "context_overflow" || answer.error?.kind === "payload_too_large";
    if (isLast || !isTooLong) return answer;
    room = Math.floor(Math.min(room, sizeOf(texts)) / 2);
  }
}

async function ask(client: ModelClient, request: Omit<ModelRequest, "model">, signal: AbortSignal): Promise<Answer> {
  for await (const event of client.stream(request, signal)) {
    if (event.type === "error") return { error: event.error };
    if (event.type !== "finish") continue;
    const { message, usage } = event;
    const text = wordsOf(message).trim();
    return text === "" ? { usage, error: { kind: "malformed", message: "it sent an empty answer" } } : { usage, text };
  }
  return { error: { kind: "malformed", message: "it ended without an answer" } };
}

function redacted<M extends Message>(message: M, redact: (text: string) => string): M {
  const content = message.content.map((part) => (part.type === "text" ? { ...part, text: redact(part.text) } : part));
  return { ...message, content };
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + (content[0]?.type === "text" ? content[0].text.length : 0), 0);
}

function wordsOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** A conservative estimate of characters per token that fits most languages. */
const charsPerToken = 3;

const advising =
  "You advise an assistant that talks with a user and has tools. You see what both said, and you have no tools yourself. Say how you would answer the user's last request: facts, approach, pitfalls, and what should be checked. Be concrete and brief. The assistant alone reads it.";

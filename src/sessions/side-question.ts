import { err, ok, type Result } from "../base/result.ts";
import type { Message } from "../contracts/model/message.ts";
import type { ModelClient, ModelRequest } from "../contracts/model/model.ts";
import type { BookedUsage } from "../contracts/session/session.ts";

export interface SideQuestionDeps {
  readonly history: readonly Message[];
  /** Builds a request in the same way as the session. */
  request(messages: readonly Message[]): Omit<ModelRequest, "model">;
  readonly model: ModelClient;
  /** Returns why no model may be called now. */
  refusal(): Promise<string | undefined>;
  book(usage: BookedUsage): Promise<void>;
}

/** Asks the model about the conversation. Its tool calls are not executed, and the history does not change. */
export async function askSideQuestion(
  question: string,
  { history, request, model, refusal, book }: SideQuestionDeps,
  signal: AbortSignal,
): Promise<Result<string>> {
  const text = `[A side question of the person. Answer it from this conversation alone: you cannot call tools now, and nobody remembers this exchange.]\n${question}`;
  const messages = [...history, { role: "user", content: [{ type: "text", text }] } as const];
  const whole = request(messages);
  // Sends the same tools first, because that request is in the provider's cache; without tools if the model only calls
  // one.
  for (const wish of [whole, { ...whole, tools: [] }]) {
    const refused = await refusal();
    if (refused !== undefined) return err({ message: refused });
    const answer = await answerOf(wish, model, book, signal);
    if (!answer.ok || answer.value.trim() !== "") return answer;
  }
  return err({ message: "The model gave no answer." });
}

async function answerOf(
  request: Omit<ModelRequest, "model">,
  model: ModelClient,
  book: SideQuestionDeps["book"],
  signal: AbortSignal,
): Promise<Result<string>> {
  for await (const event of model.stream(request, signal)) {
    if (event.type === "error") return err({ message: event.error.message });
    if (event.type !== "finish") continue;
    const { message, usage, by } = event;
    await book({ provider: by.provider, model: by.model, task: "side_question", usage });
    return ok(message.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
  }
  return err({ message: signal.aborted ? "interrupted" : "the model ended without an answer" });
}

import { linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import type { UserMessage } from "../../contracts/model/message.ts";
import type { ConsultedModel, ModelClient, ModelEvent, ModelFacts, ModelRequest } from "../../contracts/model/model.ts";
import { askReference, type ReferenceModel } from "./ask-reference.ts";

export interface MixtureDeps {
  readonly references: readonly [ReferenceModel, ...ReferenceModel[]];
  readonly aggregator: ModelClient;
  /** The output limit of a reference model. */
  readonly maxTokens: number;
  readonly timeoutMs: number;
  /** True if the user sees the answers of the reference models. */
  readonly isShown: boolean;
  /** Masks secrets in everything that reference models receive and answer. */
  redact(text: string): string;
  /** Called when all reference models have answered or failed. */
  traced?(answers: readonly ConsultedModel[], conversation: string | undefined): void;
  readonly clock: Clock;
}

/**
 * Calls all reference models in parallel, reports each as soon as it finishes, and appends their answers to the
 * aggregator's request. A failing reference model does not fail the request.
 */
export async function* askMixture(
  request: Omit<ModelRequest, "model">,
  deps: MixtureDeps,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { references, aggregator, isShown } = deps;
  const answers: ConsultedModel[] = [];
  using link = linkAbort(signal);
  try {
    const pending = references.map(async (reference, index) => {
      const answer = await askReference(reference, request, deps, link.signal);
      answers[index] = answer.text === undefined ? answer : { ...answer, text: deps.redact(answer.text) };
      return index;
    });
    const waiting = new Map(pending.entries());
    while (waiting.size > 0) {
      const finished = await Promise.race(waiting.values());
      waiting.delete(finished);
      const consulted = answers[finished];
      if (signal.aborted) return yield { type: "error", error: { kind: "aborted", message: "interrupted" } };
      if (consulted) yield { type: "consulted", ...(isShown ? consulted : unseen(consulted)) };
    }
  } finally {
    // The caller stopped reading, so the pending requests are cancelled.
    link.abort();
  }
  deps.traced?.(answers, request.conversation);
  const first = answers.find(({ text }) => text === undefined);
  if (answers.every(({ text }) => text === undefined) && first?.error) {
    const { provider, model } = aggregator.facts();
    yield {
      type: "failed",
      error: first.error,
      next: "fallback",
      how: `no reference answered; ${provider}/${model} answers alone`,
    };
    return yield* aggregator.stream(request, signal);
  }
  const context = privateContext(answers, roomFor(aggregator.facts()));
  const tokens = Math.ceil(JSON.stringify(context.content).length / charsPerToken);
  for await (const event of aggregator.stream({ ...request, messages: [...request.messages, context] }, signal)) {
    if (event.type === "finish") yield { ...event, addedTokens: Math.min(tokens, Math.floor(event.usage.input / 2)) };
    else yield event;
  }
}

function unseen({ text: _, ...rest }: ConsultedModel): ConsultedModel {
  return rest;
}

/** The maximum number of characters of all answers: a tenth of the context window. */
function roomFor({ contextTokens }: ModelFacts): number {
  return Math.floor(contextTokens / 10) * charsPerToken;
}

const charsPerToken = 4;

/**
 * Appends the answers of the reference models to one request of the aggregator. They never become part of the
 * conversation.
 */
export function privateContext(answers: readonly ConsultedModel[], maxChars: number): UserMessage {
  const text = `${heading}\n\n${referenceBlocks(answers, maxChars)}`;
  return { role: "user", content: [{ type: "text", text }] };
}

/** Puts each answer in a block with the name of its model. */
export function referenceBlocks(answers: readonly ConsultedModel[], maxChars: number): string {
  const each = Math.floor(maxChars / Math.max(1, answers.length));
  return answers.map((one) => block(one, each)).join("\n\n");
}

function block({ provider, model, text, error }: ConsultedModel, maxChars: number): string {
  const by = `${provider}/${model}`.replaceAll(/["<>\s]/gu, "");
  if (text === undefined)
    return `<reference model="${by}">did not answer: ${plain(oneLine(error?.message ?? "", 300))}</reference>`;
  const output = text.length > maxChars ? `${cut(text, maxChars)}\n[… cut off]` : text;
  return `<reference model="${by}">\n${plain(output)}\n</reference>`;
}

/** Prevents an answer from closing its block and imitating another speaker. */
function plain(text: string): string {
  return text.replaceAll(/<(?=\/?\s*reference)/giu, "‹");
}

const heading =
  "[Private context, not written by the user: answers of other models to this conversation. They saw its messages but no tools, results or files, and may be wrong. Use what is right, check what you can, and answer in your own words without mentioning them.]";

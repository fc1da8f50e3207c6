import { asId, type CallId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { AssistantMessage } from "../../src/contracts/model/message.ts";
import type { ModelClient, ModelError, ModelEvent, ModelFacts, ModelRequest } from "../../src/contracts/model/model.ts";

/** The model's answer to one request. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject | string; readonly id?: string }[];
  readonly stop?: AssistantMessage["stop"];
  readonly error?: ModelError;
  /** Sends its text and then nothing until it is aborted. */
  readonly hangs?: boolean;
  readonly usage?: { readonly input: number; readonly output: number; readonly costUsd?: number };
}

export type RequestWithoutModel = Omit<ModelRequest, "model">;

export interface ScriptedModel extends ModelClient {
  readonly requests: readonly RequestWithoutModel[];
}

/**
 * Answers with the next item of the list, or with the result of the function. A request after the end of the list is an
 * error.
 */
export function scriptedModel(
  script: readonly ScriptedAnswer[] | ((request: RequestWithoutModel, index: number) => ScriptedAnswer),
  facts: Partial<ModelFacts> = {},
): ScriptedModel {
  const requests: RequestWithoutModel[] = [];
  const names: ModelFacts = {
    provider: "scripted",
    model: "test",
    contextTokens: 100_000,
    contextSource: "table",
    vision: false,
    ...facts,
  };
  let ids = 0;

  function messageOf({ text = "", reasoning, calls = [], stop }: ScriptedAnswer): AssistantMessage {
    return {
      role: "assistant",
      content: text === "" ? [] : [{ type: "text", text }],
      calls: calls.map(({ name, args, id }) => ({ id: asId<CallId>(id ?? `call_${++ids}`), name, args })),
      ...(reasoning !== undefined && { reasoning }),
      stop: stop ?? (calls.length > 0 ? "calls" : "end"),
    };
  }

  return {
    requests,
    facts: () => names,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const index = requests.push(request) - 1;
      const answer = typeof script === "function" ? script(request, index) : script[index];
      yield { type: "called", provider: names.provider, model: names.model, attempt: 1 };
      if (!answer) return yield { type: "error", error: { kind: "server", message: "the script has ended" } };
      if (answer.text !== undefined) yield { type: "text", delta: answer.text };
      if (answer.hangs) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      if (answer.error) return yield { type: "error", error: answer.error };
      const { input = 100, output = 10, costUsd } = answer.usage ?? {};
      const cost = costUsd === undefined ? {} : { costUsd };
      yield {
        type: "finish",
        message: messageOf(answer),
        usage: { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...cost },
        by: names,
      };
    },
  };
}

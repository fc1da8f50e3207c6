import { systemClock } from "../../../src/base/clock.ts";
import { createHttp, type HttpDeps } from "../../../src/base/http/http-client.ts";
import type { AssistantMessage } from "../../../src/contracts/model/message.ts";
import type { AttemptEvent, ModelError, ModelRequest, Usage } from "../../../src/contracts/model/model.ts";
import type { Endpoint } from "../../../src/providers/endpoint.ts";
import { createProvider } from "../../../src/providers/provider.ts";

/** The result of one attempt. */
export interface Attempted {
  readonly events: readonly AttemptEvent[];
  /** All text deltas, and all reasoning deltas. */
  readonly text: string;
  readonly reasoning: string;
  readonly message?: AssistantMessage;
  readonly usage?: Usage | undefined;
  readonly error?: ModelError;
}

export const plainRequest: ModelRequest = {
  model: "test-model",
  system: [{ text: "You are a test.", cache: true }],
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [],
};

export const readTool = {
  name: "read_file",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

/** Sends one request to an endpoint, with a separate connection pool unless one is passed. */
export async function attempt(
  endpoint: Endpoint,
  request: Partial<ModelRequest> = {},
  more: { readonly signal?: AbortSignal; readonly http?: Partial<HttpDeps> } = {},
): Promise<Attempted> {
  using http = createHttp({ clock: systemClock, ...more.http });
  const provider = createProvider(endpoint, { http, clock: systemClock });
  const { signal = new AbortController().signal } = more;
  const events: AttemptEvent[] = [];
  for await (const event of provider.stream({ ...plainRequest, ...request }, signal)) events.push(event);
  return collectEvents(events);
}

export function collectEvents(events: readonly AttemptEvent[]): Attempted {
  const last = events.at(-1);
  const textOf = (type: "text" | "reasoning"): string =>
    events.map((event) => (event.type === type ? event.delta : "")).join("");
  return {
    events,
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    ...(last?.type === "finish" ? { message: last.message, usage: last.usage } : {}),
    ...(last?.type === "error" ? { error: last.error } : {}),
  };
}

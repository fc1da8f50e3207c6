import type { JsonObject } from "../../base/json.ts";
import type { AssistantMessage, Message } from "../../contracts/model/message.ts";
import type { ModelDelta, ModelRequest, Usage } from "../../contracts/model/model.ts";
import type { Endpoint } from "../endpoint.ts";
import type { WireTools } from "./wire-tools.ts";

/** Translates requests into one protocol, and its answers back. */
export interface ProtocolAdapter {
  /** Path below the base address, with a query if the protocol has one. */
  path(request: ModelRequest, endpoint: Endpoint): string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: "bearer" | "x-api-key" | "x-goog-api-key";
  body(request: ModelRequest, context: RequestContext): JsonObject;
  decoder(context: AnswerContext): AnswerDecoder;
}

export interface RequestContext {
  readonly endpoint: Endpoint;
  readonly tools: WireTools;
  /** Caches the wire form of a message, which never changes. */
  readonly memo: <M extends Message, T>(message: M, make: (message: M) => T) => T;
}

export interface AnswerContext {
  readonly endpoint: Endpoint;
  readonly tools: WireTools;
  readonly emit: (delta: ModelDelta) => void;
}

export interface AnswerDecoder {
  /** Reads a chunk of a stream or a whole answer. True if it has content, unlike a keep-alive. */
  json(value: JsonObject, event: string | undefined): boolean;
  /** The mark `[DONE]` was read. */
  done(): void;
  state(): DecoderState;
  /** The answer in the states `ended` and `finishing`. */
  answer(): DecodedAnswer;
}

/**
 * - `open`: the answer is not complete.
 * - `finishing`: the finish reason has arrived; usage may still follow.
 * - `ended`: nothing follows.
 * - `failed`: the stream contains an error.
 */
export type DecoderState =
  | { readonly is: "open" | "finishing" | "ended" }
  | { readonly is: "failed"; readonly error: unknown };

export interface DecodedAnswer {
  readonly message: AssistantMessage;
  readonly usage: Usage | undefined;
}

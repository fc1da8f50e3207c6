import type { JsonObject } from "../../base/json.ts";
import type { AssistantMessage, Message } from "../../contracts/model/message.ts";
import type { ModelDelta, ModelRequest, Usage } from "../../contracts/model/model.ts";
import type { Endpoint } from "../endpoint.ts";
import type { WireTools } from "./wire-tools.ts";

/** Translates requests to one protocol, and responses back to answers. */
export interface ProtocolAdapter {
  /** The path below the base address, with a query if the protocol needs one. */
  path(request: ModelRequest, endpoint: Endpoint): string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: "bearer" | "x-api-key" | "x-goog-api-key";
  body(request: ModelRequest, context: RequestContext): JsonObject;
  decoder(context: AnswerContext): AnswerDecoder;
}

export interface RequestContext {
  readonly endpoint: Endpoint;
  readonly tools: WireTools;
  /** A cache for the serialised form of a message, which never changes. */
  readonly memo: <M extends Message, T>(message: M, make: (message: M) => T) => T;
}

export interface AnswerContext {
  readonly endpoint: Endpoint;
  readonly tools: WireTools;
  readonly emit: (delta: ModelDelta) => void;
}

export interface AnswerDecoder {
  /** Parses a chunk of a stream or a whole answer. Returns true if it has content, unlike a keep-alive. */
  json(value: JsonObject, event: string | undefined): boolean;
  /** Called when the mark `[DONE]` was read. */
  done(): void;
  state(): DecoderState;
  /** Returns the answer. Only in the states `ended` and `finishing`. */
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

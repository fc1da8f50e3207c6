import type { JsonObject } from "../../base/json.ts";
import type { AssistantMessage, Message } from "../../contracts/model/message.ts";
import type { ModelDelta, ModelRequest, Usage } from "../../contracts/model/model.ts";
import type { Endpoint } from "../endpoint.ts";
import type { WireTools } from "./wire-tools.ts";

/** How one protocol is spoken: requests into its words, its answers into ours. */
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
  /** Messages never change: what one becomes on the wire is worked out once. */
  readonly memo: <M extends Message, T>(message: M, make: (message: M) => T) => T;
}

export interface AnswerContext {
  readonly endpoint: Endpoint;
  readonly tools: WireTools;
  readonly emit: (delta: ModelDelta) => void;
}

export interface AnswerDecoder {
  /** Takes a piece of a stream or a whole answer. True when it said something, unlike a keep-alive. */
  json(value: JsonObject, event: string | undefined): boolean;
  /** The mark `[DONE]` was read. */
  done(): void;
  state(): DecoderState;
  /** For the states `ended` and `finishing`. */
  answer(): DecodedAnswer;
}

/**
 * - `open`: the answer is not complete.
 * - `finishing`: it says how it ended; usage may still follow.
 * - `ended`: nothing follows.
 * - `failed`: an error stood in the stream.
 */
export type DecoderState =
  | { readonly is: "open" | "finishing" | "ended" }
  | { readonly is: "failed"; readonly error: unknown };

export interface DecodedAnswer {
  readonly message: AssistantMessage;
  readonly usage: Usage | undefined;
}

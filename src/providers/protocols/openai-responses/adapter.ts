import type { ProtocolAdapter } from "../adapter.ts";
import { createResponsesDecoder } from "./decoder.ts";
import { responsesBody } from "./request.ts";

/** OpenAI responses. Nothing is stored at the provider: each request carries the whole conversation. */
export const responsesAdapter: ProtocolAdapter = {
  path: () => "/responses",
  headers: {},
  auth: "bearer",
  body: responsesBody,
  decoder: createResponsesDecoder,
};

import type { ProtocolAdapter } from "../adapter.ts";
import { createResponsesDecoder } from "./decoder.ts";
import { responsesBody } from "./request.ts";

/** The OpenAI responses protocol. The provider stores nothing: each request contains the whole conversation. */
export const responsesAdapter: ProtocolAdapter = {
  path: () => "/responses",
  headers: {},
  auth: "bearer",
  body: responsesBody,
  decoder: createResponsesDecoder,
};

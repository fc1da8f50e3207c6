import type { ProtocolAdapter } from "../adapter.ts";
import { createChatDecoder } from "./decoder.ts";
import { chatBody } from "./request.ts";

/** OpenAI chat completions, and everything that says it is compatible. */
export const chatAdapter: ProtocolAdapter = {
  path: () => "/chat/completions",
  headers: {},
  auth: "bearer",
  body: chatBody,
  decoder: createChatDecoder,
};

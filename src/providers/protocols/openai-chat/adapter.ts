import type { ProtocolAdapter } from "../adapter.ts";
import { createChatDecoder } from "./decoder.ts";
import { chatBody } from "./request.ts";

/** The protocol of OpenAI chat completions and compatible servers. */
export const chatAdapter: ProtocolAdapter = {
  path: () => "/chat/completions",
  headers: {},
  auth: "bearer",
  body: chatBody,
  decoder: createChatDecoder,
};

import type { ProtocolAdapter } from "../adapter.ts";
import { createAnthropicDecoder } from "./decoder.ts";
import { anthropicBody } from "./request.ts";

export const anthropicAdapter: ProtocolAdapter = {
  path: (_request, { baseUrl }) => (/\/v\d+\/?$/u.test(baseUrl) ? "/messages" : "/v1/messages"),
  headers: { "anthropic-version": "2023-06-01" },
  auth: "x-api-key",
  body: anthropicBody,
  decoder: createAnthropicDecoder,
};

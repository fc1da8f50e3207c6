import type { Speaker } from "../speaker.ts";
import { createAnthropicDecoder } from "./decoder.ts";
import { anthropicBody } from "./request.ts";

export const anthropicSpeaker: Speaker = {
  path: (_request, { baseUrl }) => (/\/v\d+\/?$/u.test(baseUrl) ? "/messages" : "/v1/messages"),
  headers: { "anthropic-version": "2023-06-01" },
  auth: "x-api-key",
  body: anthropicBody,
  decoder: createAnthropicDecoder,
};

import type { ProtocolAdapter } from "../adapter.ts";
import { createGeminiDecoder } from "./decoder.ts";
import { geminiBody } from "./request.ts";

export const geminiAdapter: ProtocolAdapter = {
  path({ model }, { baseUrl, quirks = {} }) {
    const version = /\/v\d\w*(?:\/|$)/u.test(new URL(baseUrl).pathname) ? "" : "/v1beta";
    const name = model
      .replace(/^models\//u, "")
      .split("/")
      .map(encodeURIComponent)
      .join("/");
    const way = quirks.streaming === false ? "generateContent" : "streamGenerateContent?alt=sse";
    return `${version}/models/${name}:${way}`;
  },
  headers: {},
  auth: "x-goog-api-key",
  body: geminiBody,
  decoder: createGeminiDecoder,
};

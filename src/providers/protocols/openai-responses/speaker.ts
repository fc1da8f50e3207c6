import type { Speaker } from "../speaker.ts";
import { createResponsesDecoder } from "./decoder.ts";
import { responsesBody } from "./request.ts";

/** OpenAI responses. Nothing is stored at the provider: each request carries the whole conversation. */
export const responsesSpeaker: Speaker = {
  path: () => "/responses",
  headers: {},
  auth: "bearer",
  body: responsesBody,
  decoder: createResponsesDecoder,
};

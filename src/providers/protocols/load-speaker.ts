import type { Protocol } from "../endpoint.ts";
import type { Speaker } from "./speaker.ts";

/** Loaded with the first request: only the protocol that is spoken. */
export async function loadSpeaker(protocol: Protocol): Promise<Speaker> {
  switch (protocol) {
    case "openai-chat":
      return (await import("./openai-chat/speaker.ts")).chatSpeaker;
    case "openai-responses":
      return (await import("./openai-responses/speaker.ts")).responsesSpeaker;
    case "anthropic-messages":
      return (await import("./anthropic-messages/speaker.ts")).anthropicSpeaker;
    case "gemini":
      return (await import("./gemini/speaker.ts")).geminiSpeaker;
  }
}

import type { Protocol } from "../endpoint.ts";
import type { ProtocolAdapter } from "./adapter.ts";

/** Loads only the protocol that is used, at the first request. */
export async function loadAdapter(protocol: Protocol): Promise<ProtocolAdapter> {
  switch (protocol) {
    case "openai-chat":
      return (await import("./openai-chat/adapter.ts")).chatAdapter;
    case "openai-responses":
      return (await import("./openai-responses/adapter.ts")).responsesAdapter;
    case "anthropic-messages":
      return (await import("./anthropic-messages/adapter.ts")).anthropicAdapter;
    case "gemini":
      return (await import("./gemini/adapter.ts")).geminiAdapter;
  }
}

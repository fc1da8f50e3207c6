import type { ModelClient } from "../../contracts/model/model.ts";

/** The model of a client's session. The model belongs to the client, so Hermes cannot call it. Images are passed on. */
export function clientModel(client: string): ModelClient {
  const price = { input: 0, output: 0 };
  const facts = {
    provider: "mcp",
    model: client,
    contextTokens: 200_000,
    contextSource: "assumed",
    vision: true,
    price,
  };
  return {
    facts: () => facts,
    async *stream() {
      yield {
        type: "error",
        error: {
          kind: "not_found",
          message: `The session of ${client} has no model of its own, because the client has one.`,
        },
      };
    },
  };
}

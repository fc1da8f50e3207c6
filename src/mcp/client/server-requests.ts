import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";

import type { JsonObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import type { McpRefusal, McpServerRequests } from "../../contracts/mcp/connection.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";

/** The requests that this server may send to Hermes. */
export function capabilitiesFor({ sampling, elicitation }: McpServerEntry): ClientCapabilities {
  return {
    // The workspace stays the same as long as the connection lasts.
    roots: {},
    ...(sampling.isEnabled && { sampling: { tools: {} } }),
    ...(elicitation.isEnabled && { elicitation: { form: {}, url: {} } }),
  };
}

/** Registers handlers for the requests and notifications of the server. */
export function answerServer(
  client: Client,
  requests: McpServerRequests,
  { sampling, elicitation }: McpServerEntry,
  listChanged: () => void,
): void {
  // The cast is safe: the library validates the parameters and the results, which are JSON.
  if (sampling.isEnabled)
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) =>
      granted(await requests.sample(params as unknown as JsonObject, mcpReq.signal)),
    );
  if (elicitation.isEnabled)
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) =>
      granted(await requests.elicit(params as unknown as JsonObject, mcpReq.signal)),
    );
  client.setRequestHandler("roots/list", () => ({ roots: requests.roots().map((root) => ({ ...root })) }));
  client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) =>
    requests.log({
      level,
      ...(logger !== undefined && { logger: cut(logger, maxLoggerChars) }),
      text: cut(typeof data === "string" ? data : JSON.stringify(data), maxLogChars),
    }),
  );
  for (const list of ["tools", "prompts", "resources"] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, listChanged);
}

const maxLoggerChars = 100;
const maxLogChars = 4_096;

/** The library sends thrown errors to the server and validates the result as `T`. */
function granted<T>(answer: Result<JsonObject, McpRefusal>): T {
  if (answer.ok) return answer.value as unknown as T;
  const { message, code = -1 } = answer.error;
  throw Object.assign(new Error(message), { code });
}

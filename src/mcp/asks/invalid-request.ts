import type { McpRefusal } from "../../contracts/mcp/connection.ts";

/** The error response to a request that breaks the protocol. */
export function invalidRequest(message: string): McpRefusal {
  return { message, code: -32602 };
}

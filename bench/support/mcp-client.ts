import { join } from "node:path";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** A server of the official library with a tool that does nothing. */
export const bareServer = join(import.meta.dirname, "bare-mcp-server.mjs");

export function bareTransport(): StdioClientTransport {
  return new StdioClientTransport({ command: process.execPath, args: [bareServer] });
}

export async function connectOfficial(transport: Parameters<Client["connect"]>[0]): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  return client;
}

/** `bare-mcp-server.mjs [http]`: a minimal MCP server with the official library and one no-op tool. */
import { createServer } from "node:http";

import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

function bareServer() {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  server.registerTool(
    "noop",
    { description: "Does nothing", inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    async () => ({ content: [{ type: "text", text: "done" }] }),
  );
  return server;
}

if (process.argv[2] === "http") {
  const { NodeStreamableHTTPServerTransport } = await import("@modelcontextprotocol/node");
  const transports = new Map();
  const http = createServer((request, response) => void handle(request, response));
  const handle = async (request, response) => {
    const id = request.headers["mcp-session-id"];
    let transport = transports.get(id);
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void transports.set(session, transport),
      });
      await bareServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  };
  http.listen(0, "127.0.0.1", () => process.stdout.write(`${JSON.stringify(http.address())}\n`));
  process.stdin.on("end", () => process.exit(0)).resume();
} else {
  const { StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  await bareServer().connect(new StdioServerTransport());
}

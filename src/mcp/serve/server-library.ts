import type * as Library from "@modelcontextprotocol/server";

/**
 * The parts of the MCP library that a connection needs. They are slow to load, so they are loaded when a server
 * starts.
 */
export type ServerLibrary = Pick<typeof Library, "Server" | "ProtocolError" | "UriTemplate">;

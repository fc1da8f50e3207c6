import type * as Library from "@modelcontextprotocol/server";

/** The parts of the library that a connection needs. It is heavy, so it is loaded when somebody serves. */
export type ServerLibrary = Pick<typeof Library, "Server" | "ProtocolError" | "UriTemplate">;

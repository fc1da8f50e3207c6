import type { Transport } from "@modelcontextprotocol/client";

/** A transport of the MCP library together with the life cycle of its program or connection. */
export interface McpChannel {
  readonly transport: Transport;
  /** Resolves once, when the server has ended or the channel was closed. */
  readonly ended: Promise<{ readonly reason: string }>;
  /** The last output of the server, for the message about a failure. May be empty. */
  complaint(): string;
  /** Resolves when no process of the server is left on this machine. Never rejects. */
  close(): Promise<void>;
}

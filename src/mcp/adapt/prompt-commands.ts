import type { McpPromptArgument } from "../../contracts/mcp/definitions.ts";
import type { McpFleet } from "../../contracts/mcp/fleet.ts";

/** A prompt of an MCP server as a slash command. */
export interface PromptCommand {
  /** The command name `server:prompt`, in characters that a command line allows. */
  readonly name: string;
  readonly server: string;
  /** The prompt name in the server's own spelling. */
  readonly prompt: string;
  readonly description: string;
  readonly arguments: readonly McpPromptArgument[];
}

/**
 * The prompts of all servers that the user may use. If two prompts have the same name, the first one is used. Opens
 * no connection.
 */
export function promptCommands(fleet: Pick<McpFleet, "glance">): readonly PromptCommand[] {
  const commands = new Map<string, PromptCommand>();
  for (const { name: server, state, entry, prompts } of fleet.glance()) {
    if (state === "disabled" || entry?.tools.prompts === false) continue;
    for (const { name: prompt, description, arguments: own } of prompts) {
      const name = `${plain(server)}:${plain(prompt)}`.toLowerCase();
      if (!commands.has(name)) commands.set(name, { name, server, prompt, description, arguments: own });
    }
  }
  return [...commands.values()];
}

function plain(name: string): string {
  return name.replaceAll(/[^\w.-]/gu, "_");
}

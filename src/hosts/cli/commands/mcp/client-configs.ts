import { nearest } from "../../../../base/text/nearest.ts";
import { quoteForShellIfNeeded } from "../../../../base/text/shell-quote.ts";

/** The words that start a program. */
export type ProgramWords = readonly [string, ...string[]];

/** How another agent is configured to use our server. */
export interface ClientConfig {
  readonly client: string;
  readonly title: string;
  /** Undefined: `text` is a command. */
  readonly file?: string;
  readonly text: string;
}

/** The configuration for one client. The error lists the known clients. */
export function clientConfig(name: string, words: ProgramWords): ClientConfig | { readonly error: string } {
  const [command, ...args] = words;
  const server = { command, args };
  const requested = name.toLowerCase().replaceAll(/[^a-z]/gu, "");
  const configs: readonly ClientConfig[] = [
    {
      client: "claude-code",
      title: "Claude Code",
      text: `claude mcp add hermes -- ${words.map(quoteForShellIfNeeded).join(" ")}`,
    },
    {
      client: "claude-desktop",
      title: "Claude Desktop",
      file: "claude_desktop_config.json",
      text: jsonText({ mcpServers: { hermes: server } }),
    },
    { client: "codex", title: "Codex", file: "~/.codex/config.toml", text: toml(server) },
    {
      client: "cursor",
      title: "Cursor",
      file: "~/.cursor/mcp.json",
      text: jsonText({ mcpServers: { hermes: server } }),
    },
    {
      client: "vscode",
      title: "VS Code",
      file: ".vscode/mcp.json",
      text: jsonText({ servers: { hermes: { type: "stdio", ...server } } }),
    },
    {
      client: "gemini",
      title: "Gemini CLI",
      file: "~/.gemini/settings.json",
      text: jsonText({ mcpServers: { hermes: server } }),
    },
  ];
  const match = configs.find(({ client, title }) =>
    [client, title].some((each) => each.toLowerCase().replaceAll(/[^a-z]/gu, "") === requested),
  );
  if (match) return match;
  const names = configs.map(({ client }) => client);
  const [guess] = nearest(name, names, 1);
  return { error: `There is no client ${name}.${guess ? ` Did you mean ${guess}?` : ""} Known: ${names.join(", ")}.` };
}

function jsonText(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

/** JSON strings are also valid TOML strings. */
function toml({ command, args }: { readonly command: string; readonly args: readonly string[] }): string {
  return `[mcp_servers.hermes]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`;
}

import { isObject } from "../../base/json.ts";
import { plainText } from "../../base/text/ansi.ts";
import { cut } from "../../base/text/text.ts";
import type { Command, CommandReply } from "../../contracts/host/command.ts";
import type { PluginClient, PluginFault } from "../../contracts/plugin/client.ts";
import type { PluginLanguage } from "../../contracts/plugin/manifest.ts";
import type { CliCommandContribution } from "../../contracts/plugin/plugin.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";

const commandTimeoutMs = 300_000;
const maxReplyChars = 100_000;

/** The slash commands of a plugin. Their state lives in the plugin's process. */
export function pluginCommands({ commands }: PluginRegistration, client: PluginClient): readonly Command[] {
  return commands.map(({ name, aliases, summary, args: usage }) => ({
    name,
    aliases,
    summary: summary || `Command of the plugin ${client.key}`,
    // A plugin may accept arguments without declaring them.
    args: usage || "[…]",
    plugin: client.key,
    async run(args, { signal, sessionId }) {
      const params = { name, args, ...(sessionId !== undefined && { sessionId }) };
      const answer = await client.request("command.run", params, { signal, timeoutMs: commandTimeoutMs });
      return answer.ok ? replyOf(answer.value) : { text: answer.error.message, failed: true };
    },
  }));
}

/** The reply is untrusted plugin text, so it can only become displayed text or a new prompt. */
function replyOf(value: unknown): CommandReply {
  if (typeof value === "string") return { text: shown(value) };
  if (value === null || value === undefined) return { text: "Done." };
  if (!isObject(value) || typeof value["text"] !== "string") {
    return { text: "", output: (JSON.stringify(value) ?? "").slice(0, maxReplyChars) };
  }
  const { text, output, failed } = value;
  return {
    text: shown(text),
    ...(typeof output === "string" && { output: shown(output) }),
    ...(failed === true && { failed }),
  };
}

/** Removes control characters, which a terminal would interpret. */
function shown(text: string): string {
  return plainText(cut(text, maxReplyChars));
}

/** The `hermes NAME` commands that a plugin adds. */
export function pluginCliCommands(
  { cliCommands }: PluginRegistration,
  client: PluginClient,
  language: PluginLanguage,
): readonly CliCommandContribution[] {
  return cliCommands.map(({ name, summary, usage }) => ({
    name,
    summary,
    usage,
    hasOwnHelp: language === "python",
    plugin: client.key,
    async run(args, { columns, print, signal }) {
      const onPrint = ({ text, isError }: { readonly text: string; readonly isError: boolean }) => print(text, isError);
      const answer = await client.request("cli.run", { name, args: [...args], columns }, { signal, onPrint });
      if (answer.ok) return exitCode(answer.value);
      print(`${answer.error.message}\n`, true);
      return faultCode(answer.error);
    },
  }));
}

function exitCode(value: unknown): number {
  if (value === null || value === undefined) return 0;
  return Number.isInteger(value) ? Number(value) & 255 : 1;
}

function faultCode({ kind }: PluginFault): number {
  return kind === "aborted" ? 130 : 1;
}

import type { CommandReply } from "../../contracts/host/command.ts";
import type { OutputOf } from "../../operations/catalog.ts";
import type { SlashContext } from "../slash-command.ts";

export type QuickCommand = OutputOf<"quick.list">["commands"][number];

/** A short description for lists. */
export function quickSummary({ type, command, target }: QuickCommand): string {
  return type === "alias" ? `Quick command: ${target}` : `Quick command: runs ${command}`;
}

/** The line that an alias expands to. Undefined: it is not an alias, or its command does not exist. */
export function aliasedLine({ type, target }: QuickCommand, args: string): string | undefined {
  const line = target.trim();
  if (type !== "alias" || line === "") return undefined;
  return `${line.startsWith("/") ? line : `/${line}`}${args === "" ? "" : ` ${args}`}`;
}

/** Runs the command line of a quick command under the policy of the session. */
export async function runQuickCommand(
  { name, type, command }: QuickCommand,
  args: string,
  { run }: SlashContext,
): Promise<CommandReply> {
  const line = command.trim();
  if (type === "alias" || line === "") {
    const missing = type === "alias" ? "target" : "command";
    return {
      text: `The quick command /${name} has no ${missing}: set quick_commands.${name}.${missing}.`,
      failed: true,
    };
  }
  const whole = args === "" ? line : `${line} ${args}`;
  const { exitCode, output } = await run("shell.run", { command: whole, timeoutSeconds: 30, isLive: false });
  const failed = exitCode !== 0;
  const how = exitCode === 124 ? "stopped after 30 seconds" : `exit code ${exitCode}`;
  return { text: failed ? `/${name}: ${how}` : "", failed, output: output === "" ? "(no output)" : output };
}

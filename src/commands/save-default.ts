import type { CommandReply } from "../contracts/host/command.ts";
import type { SlashContext } from "./slash-command.ts";

/** Saves a setting for new sessions (`--global`), unless this host cannot change settings. */
export async function saveDefault(
  key: string,
  value: string | boolean,
  text: string,
  { run, fixedSettings }: SlashContext,
): Promise<CommandReply> {
  if (fixedSettings !== undefined) return { text: `${text}\n${fixedSettings}`, failed: true };
  await run("config.set", { key, value: String(value) });
  return { text: `${text} Saved as the default.` };
}

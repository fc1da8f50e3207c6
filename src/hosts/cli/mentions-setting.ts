import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import type { CliContext } from "./command.ts";

/**
 * Whether the settings file may contain this name. It does not parse the file, so the result is only a hint for
 * decisions before the first prompt.
 */
export function mentionsSetting(name: string, { env, profile }: Pick<CliContext, "env" | "profile">): boolean {
  const home = env["HERMES_HOME"] || join(homedir(), ".hermes");
  const current = profile ?? textIn(home, "current-profile");
  const isDefault = current === "" || current === "default";
  return textIn(isDefault ? home : join(home, "profiles", current), "config.yaml").includes(name);
}

function textIn(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), "utf8").trim();
  } catch {
    return "";
  }
}

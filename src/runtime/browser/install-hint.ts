import { readFileSync } from "node:fs";

import { valueOr } from "../../base/result.ts";
import { type InstallCommands, browserInstallCommands } from "../../browser/launch/install-commands.ts";

/** How to get a browser on this machine. */
export function installHint(): InstallCommands {
  return browserInstallCommands(
    process.platform,
    valueOr(() => readFileSync("/etc/os-release", "utf8"), ""),
  );
}

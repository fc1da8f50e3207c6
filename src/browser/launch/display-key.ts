import { chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Variables } from "../../base/process/run-program.ts";
import { valueOr } from "../../base/result.ts";
import type { BrowserAccount } from "./browser-account.ts";

/**
 * The variable that names the key to the X server. The browser gets a home folder of its own, and its account cannot
 * read the key of this user, so that it gets a copy in the folder. Empty if there is no key.
 */
export function displayKey(
  env: Variables,
  folder: string,
  account: BrowserAccount | undefined,
): Readonly<Record<string, string>> {
  const path = env["XAUTHORITY"] ?? join(env["HOME"] ?? "/", ".Xauthority");
  const key = valueOr(() => readFileSync(path), undefined);
  if (!key) return {};
  if (!account) return { XAUTHORITY: path };
  const copy = join(folder, "display-key");
  writeFileSync(copy, key, { mode: 0o600 });
  chownSync(copy, account.uid, account.gid);
  return { XAUTHORITY: copy };
}

/** The reason why no window can open. */
export function missingScreen(env: Variables, platform: string): string | undefined {
  if (platform !== "linux" || env["DISPLAY"] || env["WAYLAND_DISPLAY"]) return undefined;
  return "There is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set. Run the command in a desktop session, or over `ssh -X`.";
}

import { homedir, userInfo } from "node:os";

import { valueOr } from "./result.ts";

/** Whose program this is. In a container (`--user 1234`) that may be a number that the system has no entry for. */
export function userName(): string {
  return orElse(() => userInfo().username, `uid-${process.getuid?.() ?? "unknown"}`);
}

/** HOME, else what the system says of the user; `/` for one it does not know, as shells do. */
export function homeFolder(): string {
  return orElse(homedir, "/");
}

function orElse(ask: () => string, unknown: string): string {
  return valueOr(() => ask(), unknown);
}

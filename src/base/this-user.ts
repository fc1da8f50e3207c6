import { homedir, userInfo } from "node:os";

import { valueOr } from "./result.ts";

/** Whose program this is. In a container (`--user 1234`) that may be a number that the system has no entry for. */
export function userName(): string {
  return orElse(() => userInfo().username, `uid-${process.getuid?.() ?? "unknown"}`);
}

/** HOME, else the system's entry of the user; `/` for an unknown user, as in shells. */
export function homeFolder(): string {
  return orElse(homedir, "/");
}

function orElse(ask: () => string, unknown: string): string {
  return valueOr(() => ask(), unknown);
}

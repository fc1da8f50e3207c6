import { homedir, userInfo } from "node:os";

import { valueOr } from "./result.ts";

/**
 * The user who runs this program. In a container (`--user 1234`) that may be a number without an entry in the user
 * database.
 */
export function userName(): string {
  return orElse(() => userInfo().username, `uid-${process.getuid?.() ?? "unknown"}`);
}

/** HOME, otherwise the home in the user database; `/` for an unknown user, as in shells. */
export function homeFolder(): string {
  return orElse(homedir, "/");
}

function orElse(ask: () => string, unknown: string): string {
  return valueOr(() => ask(), unknown);
}

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

export type TapKind = "github" | "git" | "site" | "folder";

/** The kind of a tap: `owner/repository`, `git:URL`, a URL, a folder. Undefined if the text is not a tap. */
export function tapKind(tap: string): TapKind | undefined {
  if (isAbsolute(tap)) return existsSync(tap) ? "folder" : undefined;
  if (/^(?:git:|git@|ssh:\/\/|https?:\/\/.+\.git$)/u.test(tap)) return "git";
  if (/^https?:\/\/[^/]+\/?$/u.test(tap)) return "site";
  return /^[\w.-]+\/[\w.-]+$/u.test(tap) ? "github" : undefined;
}

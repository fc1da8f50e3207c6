import { relative } from "node:path";

import { cut } from "../base/text/text.ts";
import { type Attempt, wantsSame } from "./attempt.ts";

/**
 * Describes the fix: another command, a preparation, another folder. Undefined if unclear, for example when files were
 * edited in between or the same command simply succeeded later.
 */
export function findFix(failed: Attempt, between: readonly Attempt[], worked: Attempt): string | undefined {
  if (!wantsSame(failed, worked)) return undefined;
  if (failed.text.trim() !== worked.text.trim()) {
    return `\`${shown(worked.text)}\` instead of \`${shown(failed.text)}\``;
  }
  if (failed.cwd !== undefined && worked.cwd !== undefined && failed.cwd !== worked.cwd) {
    const folder = relative(failed.cwd, worked.cwd) || worked.cwd;
    return `running it in the folder \`${shown(folder.startsWith("..") ? worked.cwd : folder)}\``;
  }
  const changes = between.filter(({ leavesTrace }) => leavesTrace);
  // An edit in between fixed the content of a file, which does not help next time.
  if (changes.length === 0 || changes.length > mostSteps || changes.some(({ tool }) => tool !== failed.tool)) {
    return undefined;
  }
  return `first ${changes.map(({ text }) => `\`${shown(text)}\``).join(", then ")}, then the same command again`;
}

const mostSteps = 2;

function shown(text: string): string {
  return cut(text.trim().replaceAll(/\s+/gu, " "), 200);
}

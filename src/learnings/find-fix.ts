import { relative } from "node:path";

import { cut } from "../base/text/text.ts";
import { type Attempt, wantsSame } from "./attempt.ts";

/**
 * What made it work, in words: another command, a preparation, another folder. Undefined: it cannot be said, such as when
 * files were edited in between, or when the same command simply worked the next time.
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
  // With an edit in between it was the content of a file, which is no lesson for the next time.
  if (changes.length === 0 || changes.length > mostSteps || changes.some(({ tool }) => tool !== failed.tool)) {
    return undefined;
  }
  return `first ${changes.map(({ text }) => `\`${shown(text)}\``).join(", then ")}, then the same again`;
}

const mostSteps = 2;

function shown(text: string): string {
  return cut(text.trim().replaceAll(/\s+/gu, " "), 200);
}

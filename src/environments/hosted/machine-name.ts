import { sha256 } from "../../base/digest.ts";

/** A machine name for a task that every service accepts: at most 40 characters of `a-z 0-9 -`, unique per task. */
export function machineName(taskId: string): string {
  const plain = taskId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
  const isExact = plain === taskId && plain !== "" && plain.length <= 32;
  return `hermes-${isExact ? plain : `${plain.slice(0, 20)}-${sha256(taskId).slice(0, 12)}`}`;
}

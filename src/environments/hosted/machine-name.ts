import { sha256 } from "../../base/digest.ts";

/** A name for the machine of a task that every service accepts: at most 40 of `a-z 0-9 -`. Other tasks have other names. */
export function machineName(taskId: string): string {
  const plain = taskId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
  const isExact = plain === taskId && plain !== "" && plain.length <= 32;
  return `hermes-${isExact ? plain : `${plain.slice(0, 20)}-${sha256(taskId).slice(0, 12)}`}`;
}

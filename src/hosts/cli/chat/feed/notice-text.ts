import { escapeInvisible } from "../../escape-invisible.ts";

/** A notice for the terminal. Its later lines are indented, so that none of them can imitate a prompt or a call. */
export function noticeText(text: string): string {
  return text
    .split("\n")
    .map((line, index) => `${index > 0 && line !== "" ? "  " : ""}${escapeInvisible(line)}`)
    .join("\n");
}

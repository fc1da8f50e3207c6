import { escapeInvisible } from "../../escape-invisible.ts";
import type { ScreenTexts } from "./english.ts";

/** The reason of a rule. In another language, only the command after the sentence of the rule stays as it is. */
export function reasonText(rule: string, reason: string, reasons: ScreenTexts["reasons"]): string {
  const own = reasons[rule];
  if (own === undefined) return escapeInvisible(reason);
  const from = reason.indexOf(": ");
  return escapeInvisible(from < 0 ? own : `${own}：${reason.slice(from + 2)}`);
}

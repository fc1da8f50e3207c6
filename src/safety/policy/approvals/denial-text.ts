import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { Ask, DenialCause, PolicyRequest } from "../../../contracts/safety/approval.ts";

/** The text for the model and the user: the denied effect, who denied it, and what to do now. */
export function denialText(
  cause: DenialCause,
  reasons: readonly string[],
  request: Pick<PolicyRequest, "tool" | "origin">,
  more: { readonly said?: string; readonly asks?: readonly Ask[]; readonly stop?: boolean } = {},
): string {
  const what = `${request.tool} was not run: ${listed(reasons)}.`;
  if (cause === "unavailable") return what;
  const comment = more.said === undefined ? "" : ` They said: ${oneLine(more.said, 500)}.`;
  const parts = [`Denied: ${what}${comment}`, sentences[cause], wayOut(cause, request, more.asks ?? [])];
  if (request.origin !== "user") parts.push(more.stop ? stopText : steadyText);
  return parts.filter(Boolean).join(" ");
}

const sentences: Readonly<Record<DenialCause, string>> = {
  hardline: "This is never allowed, in any mode and for anyone.",
  rule: "A rule forbids it. This is final.",
  readonly: "approvals.mode is readonly: only reading is allowed.",
  person: "The user denied it.",
  timeout: "It needs approval and nobody answered in time.",
  no_approver: "It needs approval and nobody is here to ask.",
  interrupted: "The call was interrupted while its question waited.",
  unavailable: "",
  stopped: "Too many requests were denied in a row; Hermes asks no more questions in this turn.",
};

const steadyText =
  "Do not try it again, do not rephrase it and do not reach the same effect in another way. Continue without it, or ask the user.";

const stopText =
  "STOP: this was denied repeatedly. Call no more tools; tell the user what you wanted to do and why, and wait for an answer.";

function wayOut(
  cause: DenialCause,
  { tool, origin }: Pick<PolicyRequest, "tool" | "origin">,
  asks: readonly Ask[],
): string {
  if (cause !== "no_approver" && cause !== "timeout") return "";
  const rules = asks.map(({ covers }) => covers).filter((text) => text !== undefined);
  const always =
    rules.length === asks.length && rules.length > 0 && rules.length <= shown
      ? rules.map((text) => `hermes policy allow ${quoteForShellIfNeeded(text)}`)
      : [];
  const once = origin === "user" ? `add --approve to hermes tools call ${tool}` : `hermes tools call ${tool} --approve`;
  const ways = [
    `a person can run it once with: ${once}`,
    ...(always.length > 0 ? [`or allow it for good with: ${always.join(" && ")}`] : []),
  ];
  const text = ways.join("; ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

const shown = 3;

function listed(reasons: readonly string[]): string {
  const lines = reasons.slice(0, shown).map((reason) => oneLine(reason, 300));
  const more = reasons.length - lines.length;
  return lines.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";
import { oneLine } from "../../../base/text/text.ts";
import type { Ask, DenialCause, PolicyRequest } from "../../../contracts/safety/approval.ts";

/** Formats the text for the model and the user: the denied effect, who denied it, and what to do next. */
export function denialText(
  cause: DenialCause,
  reasons: readonly string[],
  request: Pick<PolicyRequest, "tool" | "origin">,
  more: Partial<DenialDetails> = {},
): string {
  const what = `${request.tool} was not run: ${listed(reasons)}.`;
  if (cause === "unavailable") return what;
  const comment = more.said === undefined ? "" : ` They said: ${oneLine(more.said, 500)}.`;
  const parts = [`Denied: ${what}${comment}`, sentences[cause], wayOut(cause, more), namesOnly(reasons)];
  if (request.origin !== "user") parts.push(more.stop ? stopText : steadyText);
  return parts.filter(Boolean).join(" ").replaceAll("\n ", "\n");
}

interface DenialDetails {
  readonly said: string;
  readonly asks: readonly Ask[];
  readonly stop: boolean;
  /** The command that makes the call once, in a form that can be typed. */
  readonly once: string;
}

/**
 * Returns the command that makes a call once after an approval. Undefined if the arguments are too long or contain a
 * secret.
 */
export function approvingCommand(
  { tool, args }: Pick<PolicyRequest, "tool" | "args">,
  redact: (text: string) => string,
): string | undefined {
  const json = JSON.stringify(args);
  if (json.length > maxArgsChars || redact(json) !== json) return undefined;
  return `hermes tools call ${tool} --approve --args ${quoteForShellIfNeeded(json)}`;
}

const maxArgsChars = 400;

const sentences: Readonly<Record<DenialCause, string>> = {
  hardline: "This is never allowed, in any mode and for anyone.",
  refused: "The tool refuses it.",
  rule: "A rule forbids it. This is final.",
  readonly: "Only reading is allowed: plan mode is on, or approvals.mode is readonly.",
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

function wayOut(cause: DenialCause, { asks = [], once }: Partial<DenialDetails>): string {
  if (cause !== "no_approver" && cause !== "timeout") return "";
  const rules = asks.map(({ covers }) => covers).filter((text) => text !== undefined);
  const always =
    rules.length === asks.length && rules.length > 0 && rules.length <= shown
      ? rules.map((text) => `hermes policy allow ${quoteForShellIfNeeded(text)}`)
      : [];
  const ways = [
    ...(once === undefined ? [] : [`run it once with:\n  ${once}\n`]),
    ...(always.length > 0 ? [`allow it for good with:\n  ${always.join(" && ")}\n`] : []),
  ];
  return ways.length === 0 ? "" : `A person can ${ways.join("or ")}`;
}

/** Formats the reason for a person, who may not know that the names alone can be read without approval. */
export function offeringNames(reason: string): string {
  return variableFile.test(reason)
    ? `${reason}; if you deny it, the model can still read the names without values`
    : reason;
}

/** Most tasks need only the names of the variables in a `.env` file. */
function namesOnly(reasons: readonly string[]): string {
  return reasons.some((reason) => variableFile.test(reason))
    ? "If the names of the variables are enough, run this, which prints no values and needs no approval: grep -oE '^(export )?[A-Za-z_][A-Za-z0-9_]*=' FILE"
    : "";
}

const variableFile = /\.env(?:rc|\.\w+)? holds secrets|keys or passwords: .*\.env(?:rc|\.\w+)?(?![\w.])/u;

const shown = 3;

function listed(reasons: readonly string[]): string {
  const lines = reasons.slice(0, shown).map((reason) => oneLine(reason, 300));
  const more = reasons.length - lines.length;
  return lines.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";

/** One question to the user. All of its texts are untrusted. */
export interface PersonQuestion {
  /** The sender of the question, such as `the agent`. Undefined: Hermes itself. */
  readonly from?: string;
  readonly text: string;
  readonly choices?: readonly Choice[];
  readonly hasSeveral?: boolean;
  /** If false, only one of the choices is a valid answer. Default: true, free text is allowed. */
  readonly allowsText?: boolean;
  /** True if the question is optional. Optional questions never interrupt the user. */
  readonly isOptional?: boolean;
  /** The timeout of the question. The session sets it. */
  readonly timeoutMs?: number;
}

export interface Choice {
  readonly label: string;
  readonly description?: string;
  readonly isRecommended?: boolean;
}

/** The labels that the person chose, or their own words. */
export type PersonAnswer = Result<readonly string[], { readonly reason: "declined" | "timeout" | "aborted" }>;

/** The label on one line, as every host shows it. */
export function choiceTitle({ label, isRecommended }: Choice): string {
  return `${oneLine(label, maxLabelChars)}${isRecommended ? " (recommended)" : ""}`;
}

/** The choices as a numbered list, for hosts that show only text. */
export function numberedChoices(choices: readonly Choice[]): readonly string[] {
  return choices.flatMap((choice, index) => {
    const about = oneLine(choice.description ?? "", maxDescriptionChars);
    return [`  ${index + 1}. ${choiceTitle(choice)}`, ...(about === "" ? [] : [`     ${about}`])];
  });
}

/** A phrase that explains to the user how to answer the question by typing a line. */
export function answerHint({ choices = [], hasSeveral, allowsText = true }: PersonQuestion): string {
  if (choices.length === 0) return "your answer";
  const numbers = hasSeveral ? "numbers separated by commas" : "a number";
  return allowsText ? `${numbers}, or your own words` : numbers;
}

/** Parses a typed line: choices by number or label, or free text. The error says what a line must contain. */
export function typedAnswer(question: PersonQuestion, line: string): Result<readonly string[], string> {
  const { choices = [], hasSeveral = false, allowsText = true } = question;
  const typed = line.trim();
  const one = chosenLabel(choices, typed);
  if (one !== undefined) return ok([one]);
  const several = hasSeveral ? typed.split(",").map((word) => chosenLabel(choices, word.trim())) : [];
  const labels = several.filter((label) => label !== undefined);
  if (labels.length > 0 && labels.length === several.length) return ok([...new Set(labels)]);
  return allowsText && typed !== "" ? ok([typed]) : err(`Answer with ${answerHint(question)}.`);
}

/** The label that a number or a word names. */
function chosenLabel(choices: readonly Choice[], word: string): string | undefined {
  const byNumber = /^\d+$/u.test(word) ? choices[Number(word) - 1] : undefined;
  return (byNumber ?? choices.find(({ label }) => label.trim().toLowerCase() === word.toLowerCase()))?.label;
}

const maxLabelChars = 200;
const maxDescriptionChars = 400;

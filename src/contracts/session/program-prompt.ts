import type { ContentPart } from "../model/message.ts";

/** The first line of a prompt that Hermes wrote. */
export const notFromPerson = "Hermes wrote this, not the person.";

/** Beginnings of prompts that a notice or a reply announces to people. */
export const announcedHeads = {
  goal: "[The goal is not reached yet",
  check: "[A check of the goal fails",
  plan: "The plan is approved, and changes are allowed again.",
} as const;

/** Returns whether people have already read what this prompt says. */
export function isAnnounced(prompt: readonly ContentPart[]): boolean {
  const [first] = prompt;
  return first?.type === "text" && Object.values(announcedHeads).some((head) => first.text.startsWith(head));
}

/** The first line of a message that delivers the report of a child agent. */
export const reportHead = "Message from Hermes, not from the person:";

/**
 * Returns a prompt as people should read it. Prompts of goals, loops and heartbeats also contain sentences for the
 * model: a first line that says that Hermes wrote the prompt, or a last line with an instruction in brackets.
 */
export function promptForPeople(text: string): string {
  const { why, first } = writtenByProgram.exec(text)?.groups ?? {};
  return why === undefined ? text.replace(orderAtEnd, "") : `${why} ${first}`.trim();
}

const writtenByProgram = new RegExp(`^\\[(?<why>[^\\n]*?) ${RegExp.escape(notFromPerson)}\\]\\n(?<first>[^\\n]*)`, "u");
const orderAtEnd = /\n\n\[(?:Work towards this goal|A loop of the person repeats this prompt)[^\n]*\]$/u;

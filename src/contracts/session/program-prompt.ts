/** In the first line of a prompt that the program wrote. */
export const notFromPerson = "Hermes wrote this, not the person.";

/**
 * A prompt as people read it. Prompts of goals, loops and heartbeats also have sentences for the model: the first line says
 * that the program wrote it, or the last line is an order in brackets.
 */
export function promptForPeople(text: string): string {
  const { why, first } = writtenByProgram.exec(text)?.groups ?? {};
  return why === undefined ? text.replace(orderAtEnd, "") : `${why} ${first}`.trim();
}

const writtenByProgram = new RegExp(`^\\[(?<why>[^\\n]*?) ${RegExp.escape(notFromPerson)}\\]\\n(?<first>[^\\n]*)`, "u");
const orderAtEnd = /\n\n\[(?:Work towards this goal|A loop of the person repeats this prompt)[^\n]*\]$/u;

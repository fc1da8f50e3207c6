/** The text of a failure without instructions for the model. */
export function forPeople(text: string): string {
  return text.replace(/\s(?:Do not try it again|STOP: )\b.*$/su, "").replace(/^Denied: \S+ was not run: /u, "denied: ");
}

/** The text of a failure without instructions for the model. The person who reads it is the one that it calls the user. */
export function forPeople(text: string): string {
  const shown = text
    .replace(/\s(?:Do not try it again|STOP: )\b.*$/su, "")
    .replace(/^Denied: \S+ was not run: /u, "denied: ")
    .replace(/^The user (?=declined to answer\.|did not answer within )/u, "You ");
  if (!shown.endsWith(deniedByUser)) return shown;
  return `${shown.slice(0, -deniedByUser.length)} You denied it.`.replace(". They said: ", ". Your reason: ");
}

const deniedByUser = " The user denied it.";

import type { Topic } from "./step.ts";

/** Said whenever it speaks of itself. */
const label = "I am the built-in offline model: rule-based, no AI.";

const examples = `What I understand, in plain words (each becomes a real tool call):

- run \`npm test\` · run ls -la in src · start \`npm run dev\` in the background · show background processes · stop all processes
- read notes.txt · show lines 10-20 of app.ts · list the files in src
- write "hello" to notes.txt · append "bye" to notes.txt · replace foo with bar in notes.txt
- find TODO in src · find files named *.ts · copy, move, delete a file · create a folder called docs
- plan: write the code, test it, ship it · show the plan · mark 1 as done
- several steps: create a.txt with hi and then show it
- which tools do you have · use tool read_file with {"path": "notes.txt"}`;

const connect =
  "For an AI, connect a model: `hermes model list` shows what there is, `hermes auth add PROVIDER` keeps a key, `hermes model use PROVIDER/MODEL` chooses it.";

export function notUnderstood(message: string): string {
  const quoted = message.slice(0, 1_000).replaceAll(/\s+/gu, " ").trim();
  const shown = quoted.length > 120 ? `${quoted.slice(0, 117)}…` : quoted;
  return `${label} I do not understand "${shown}".\n\n${examples}\n\n${connect}`;
}

export const talks: Readonly<Record<Topic, string>> = {
  help: `${label}\n\n${examples}\n\n${connect}`,
  "what you are": `${label} I match your words with a list of rules and turn them into tool calls; I do not think, and I know nothing by myself. Nothing you write leaves this machine because of me. ${connect}`,
  greeting: `Hello. ${label} Say "help" for what I understand, or try: list the files here.`,
  thanks: "You are welcome.",
  bye: "Goodbye. /quit or Ctrl-D leaves.",
  "yes or no": 'I asked nothing: say what is to be done, such as "list the files here", or "help".',
  undo: "/undo takes back the last exchange of this conversation. It does not change files back: ask for that in so many words.",
  "nothing to go on with":
    "There is nothing to go on with: everything that you asked for is done, or was not understood.",
};

import type { Topic } from "./step.ts";

/** Said whenever it speaks of itself. */
const label = "I am the built-in offline model: rule-based, no AI.";

/** What is understood, by what it is about. */
const examples: readonly (readonly [about: RegExp, example: string])[] = [
  [
    /run|execut|command|start|stop|kill|process|test|install|server/iu,
    "run `npm test` · run ls -la in src · start `npm run dev` in the background · show background processes · stop all processes",
  ],
  [/read|show|open|list|file|lines|see|look/iu, "read notes.txt · show lines 10-20 of app.ts · list the files in src"],
  [
    /writ|creat|mak|append|add|edit|chang|replac|fix|put|save/iu,
    'write "hello" to notes.txt · append "bye" to notes.txt · replace foo with bar in notes.txt',
  ],
  [
    /find|search|grep|where|copy|move|renam|delet|remov|folder/iu,
    "find TODO in src · find files named *.ts · copy, move, delete a file · create a folder called docs",
  ],
  [/plan|todo|task|mark/iu, "plan: write the code, test it, ship it · show the plan · mark 1 as done"],
  [/remember|recall|forget|memor|know|said/iu, "remember that the port is 5432 · what do you remember about the port"],
  [/then|step/iu, "several steps: create a.txt with hi and then show it"],
  [/tool|use/iu, 'which tools do you have · use tool read_file with {"path": "notes.txt"}'],
];

const all = examples.map(([, example]) => `- ${example}`).join("\n");

const connect =
  "For an AI, connect a model: `hermes model list --all` shows what there is, `hermes auth add PROVIDER` keeps a key, `hermes model use PROVIDER/MODEL` chooses it.";

/** Short: what comes nearest, and where there is more. */
export function notUnderstood(message: string): string {
  const quoted = message.slice(0, 1_000).replaceAll(/\s+/gu, " ").trim();
  const shown = quoted.length > 120 ? `${quoted.slice(0, 117)}…` : quoted;
  const near = examples.flatMap(([about, example]) => (about.test(quoted) ? example.split(" · ") : []));
  const tries = near.length === 0 ? ["list the files here", "read notes.txt", "run `npm test`"] : near.slice(0, 4);
  return `${label} I do not understand "${shown}".\n\nTry: ${tries.join(" · ")}\nSay "help" for more. A real model: \`hermes auth add PROVIDER\`, then \`hermes model use PROVIDER/MODEL\`.`;
}

export const talks: Readonly<Record<Topic, string>> = {
  help: `${label}\n\nWhat I understand, in plain words (each becomes a real tool call):\n\n${all}\n\n${connect}`,
  connecting: `${connect} \`hermes model test\` tries it. Ollama, LM Studio, llama.cpp and vLLM on this machine need no key: \`hermes model use ollama/MODEL\`.`,
  "what you are": `${label} I match your words with a list of rules and turn them into tool calls; I do not think, and I know nothing by myself. Nothing you write leaves this machine because of me. ${connect}`,
  greeting: `Hello. ${label} Say "help" for what I understand, or try: list the files here.`,
  thanks: "You are welcome.",
  bye: "Goodbye. /quit or Ctrl-D leaves.",
  "yes or no": 'I asked nothing: say what is to be done, such as "list the files here", or "help".',
  undo: "/rollback brings files back to how they were before a call. /undo takes back the last exchange of this conversation.",
  "nothing to go on with":
    "There is nothing to go on with: everything that you asked for is done, or was not understood.",
};

const label = "I am the built-in offline model: fixed rules, no AI.";

const examples = `- list the files here · run \`npm test\` · run ls -la in src · start \`npm run dev\` in the background
- read notes.txt · show lines 10-20 of app.ts · read a.txt and b.txt
- write "hello" to notes.txt · append "bye" to notes.txt · replace foo with bar in notes.txt
- find TODO in src · find files named *.ts · copy, move, delete a file · create a folder called docs
- plan: write the code, test it, ship it · show the plan · mark 1 as done
- remember that the port is 5432 · what do you remember?
- several steps: create a.txt with hi and then show it
- any tool: use tool read_file with {"path": "notes.txt"}`;

const connect =
  "To connect an AI model: `hermes setup` asks for it and tests it; `hermes model use PROVIDER/MODEL` selects one, `hermes model list --all` lists them. Ollama, LM Studio, llama.cpp and vLLM on this machine need no key.";

export const helpText = `${label}\n\nI turn these requests into real tool calls:\n\n${examples}\n\n${connect}`;

export function notUnderstood(message: string): string {
  const sentence = message.slice(0, 1_000).replaceAll(/\s+/gu, " ").trim();
  const shown = sentence.length > 120 ? `${sentence.slice(0, 117)}…` : sentence;
  return `${label} I do not understand "${shown}".\n\nTry: list the files here · read notes.txt · run \`npm test\`\nSay "help" for more. A real model: \`hermes setup\`.`;
}

/** Requests that are answered with a fixed text. */
export const answers: readonly (readonly [pattern: string, text: string])[] = [
  ["help|help me|\\?+|what can (?:you|i) (?:do|say)|how does this work|(?:what|which) tools do you have", helpText],
  [
    "(?:how (?:do|can) i |i want to )?(?:connect|use|add|set up)(?: to)?(?: an?| the| my)?(?: real| local)?(?: api)? (?:model|ai|llm|key|provider|openai|chatgpt|anthropic|claude|gemini|openrouter|ollama)",
    connect,
  ],
  [
    "(?:who|what) are you|are you (?:an? )?(?:ai|human|bot|real|chatgpt|llm|model)|(?:what|which) model (?:are you|is this)|what is hermes",
    `${label} I match your words with a table of patterns. I do not think, I know nothing, and I send nothing to anybody. ${connect}`,
  ],
  [
    "(?:hi|hello|hey)(?: there| hermes)?",
    `Hello. ${label} Say "help" for what I understand, or try: list the files here.`,
  ],
  ["(?:thanks|thank you|great|nice|perfect)(?: very much| a lot)?", "You are welcome."],
  [
    "(?:\\S*/)?hermes (?:setup|model|auth|config|doctor|status|update|sessions|skills|backup|-\\S+)(?: .*)?",
    "This is a command for your shell, not for this chat. Exit with Ctrl-D and run it there, or open another terminal. If your shell does not know `hermes`, run `./hermes` in the folder of the clone.",
  ],
  ["bye|goodbye|exit|quit", "Goodbye. /quit or Ctrl-D leaves."],
  ["yes|ok|okay|sure", 'I asked nothing. Say what to do, such as "list the files here", or "help".'],
  [
    "undo(?: (?:that|it))?|roll ?back",
    "/rollback restores files as they were before a call. /undo removes the last exchange.",
  ],
];

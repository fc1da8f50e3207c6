import type { CliCommand } from "../../command.ts";

/** The conversation: typed, or one prompt and its answer. What `hermes` without a command is. */
export const chat: CliCommand = {
  path: ["chat"],
  summary: "Talk with the agent, or give it one prompt",
  details:
    "Without a prompt a conversation begins at the terminal; /help lists what can be done in it. Standard input that is " +
    "not a terminal is the prompt, or belongs to the one that is given; slash commands in it are run when none is given. " +
    "What needs approval is asked about at the terminal; with -z, or where there is none, it is denied. " +
    "`hermes` alone is `hermes chat`.\n\n" +
    "Exit codes: 0 answered, 1 failed, 2 not understood, 3 a budget is used up, 4 stopped after denied calls, 130 interrupted.",
  options: [
    { flags: "-z, --oneshot <prompt>", summary: "one prompt; only the answer is printed. `-`: from standard input" },
    { flags: "-q, --query <prompt>", summary: "one prompt, its tool calls and its answer. `-`: from standard input" },
    { flags: "-Q, --quiet", summary: "with -q: only the answer" },
    { flags: "--image <path>...", summary: "a picture for the prompt; may be given several times" },
    { flags: "-s, --skills <names>...", summary: "use these skills from the beginning; with commas between" },
    { flags: "-m, --model <name>", summary: "provider/model, a model or an alias" },
    { flags: "--provider <id>", summary: "the provider of --model" },
    { flags: "--reasoning <effort>", summary: "off, minimal, low, medium, high or xhigh" },
    {
      flags: "-r, --resume <session>",
      summary: "go on with a session: its id, the beginning of it, its title, or latest",
    },
    { flags: "-c, --continue [title]", summary: "go on with the newest session, or the newest of that title" },
    { flags: "--branch <name>", summary: "with -r or -c: go on with this branch; `hermes sessions tree` shows them" },
    { flags: "--max-turns <count>", summary: "most model calls for one prompt" },
    { flags: "--cwd <folder>", summary: "work in this folder; --in is the same" },
    { flags: "--in <folder>", summary: "the same as --cwd" },
    { flags: "--yolo", summary: "ask no questions; hardline and deny rules hold" },
    { flags: "--accept-hooks", summary: "let new shell hooks run without asking" },
    { flags: "--ignore-user-config", summary: "defaults in place of config.yaml; deny and ask rules and .env hold" },
    { flags: "--ignore-rules", summary: "without AGENTS.md, SOUL.md and memory" },
    { flags: "--safe-mode", summary: "both, and without tools of your own, plugins, MCP servers and hooks" },
    { flags: "--record [file]", summary: "write down the model's answers and tool results, for hermes replay" },
    {
      flags: "--usage-file <file>",
      summary: "with a prompt: write tokens, cost and how it ended as JSON, also on failure",
    },
  ],
  examples: [
    'hermes -z "which of these files is the largest?"',
    'git diff | hermes chat -q "review this"',
    'hermes -z "say hi" --json | tail -1',
    "hermes --continue",
  ],
  async run(input, ctx) {
    const { readChatRequest } = await import("../../chat/chat-request.ts");
    const request = readChatRequest(input, ctx);
    const isTyped = request.prompt === undefined && !ctx.json;
    if (isTyped && ctx.io.stdinIsTerminal) {
      const { runChat } = await import("../../chat/run-chat.ts");
      return runChat(request, ctx);
    }
    if (isTyped && !request.isQuiet && request.usageFile === undefined) {
      const { runPipedChat } = await import("../../chat/run-piped-chat.ts");
      return runPipedChat(request, ctx);
    }
    const { runOneShot } = await import("../../chat/one-shot.ts");
    return runOneShot(request, ctx);
  },
};

export const commands: readonly CliCommand[] = [chat];

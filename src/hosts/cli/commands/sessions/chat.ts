import type { CliCommand, CliContext, CliInput, Reply } from "../../command.ts";
import { choiceOption } from "../../input.ts";
import { mentionsSetting } from "../../mentions-setting.ts";

/** Starts an interactive chat or sends one prompt. `hermes` without a command runs this. */
export const chat: CliCommand = {
  path: ["chat"],
  summary: "Chat with the agent, or send one prompt",
  details:
    "Starts an interactive chat; /help lists its commands. `hermes PROMPT` and `hermes chat PROMPT` start with this prompt. Piped input becomes the prompt, or is appended to " +
    "the prompt that you pass; if you pass none, slash commands in the input run. Calls that need approval ask at the terminal; with -z " +
    "or without a terminal they are denied. `hermes` without a command is `hermes chat`.\n\n" +
    "Exit codes: 0 answered, 1 failed, 2 invalid arguments, 3 budget used up, 4 stopped after denied calls, 130 interrupted.",
  args: [
    {
      name: "prompt",
      summary: "the first prompt of the chat; without a terminal the same as -q",
      optional: true,
      rest: true,
    },
  ],
  options: [
    { flags: "-z, --oneshot <prompt>", summary: "send one prompt and print only the answer; `-` reads standard input" },
    {
      flags: "-q, --query <prompt>",
      summary: "send one prompt and print tool calls and answer; `-` reads standard input",
    },
    {
      flags: "--query-file <path>",
      summary: "the same with the text of a file; `-` reads standard input",
    },
    {
      flags: "--format <name>",
      summary: "text, or stream-json: one JSON event per line and nothing else on standard output",
      choices: ["text", "stream-json"],
    },
    { flags: "-Q, --quiet", summary: "with -q: print only the answer" },
    { flags: "--image <path>...", summary: "attach an image to the prompt; repeatable" },
    { flags: "-s, --skills <names>...", summary: "load these skills at the start, separated by commas" },
    { flags: "-m, --model <name>", summary: "provider/model, a model or an alias" },
    { flags: "--provider <id>", summary: "the provider of --model" },
    {
      flags: "--reasoning <effort>",
      summary: "off, minimal, low, medium, high or xhigh",
      choices: ["off", "minimal", "low", "medium", "high", "xhigh"],
    },
    {
      flags: "-r, --resume <session>",
      summary: "resume a session: an id, a prefix of an id, a title, or latest",
    },
    {
      flags: "-c, --continue [title]",
      summary: "resume the newest conversation of this folder, or the newest with this title",
    },
    { flags: "--create-if-missing", summary: "with -c TITLE: start a session of this title if there is none" },
    { flags: "--no-restore-cwd", summary: "with -r or -c: work in the current folder, not in that of the session" },
    { flags: "--branch <name>", summary: "with -r or -c: resume this branch; `hermes sessions tree` lists branches" },
    { flags: "--max-turns <count>", summary: "maximum number of model calls for one prompt" },
    {
      flags: "--run-budget <seconds>",
      summary: "with a prompt: end the run after this time; at 80 % of it Hermes asks the agent to finish",
    },
    {
      flags: "-w, --worktree",
      summary:
        "work in a new git worktree with its own branch; the worktree is removed at the end if it has no changes",
    },
    { flags: "--source <tag>", summary: "the source of the new session in lists; tool hides it" },
    { flags: "--pass-session-id", summary: "name the session id in the system prompt" },
    { flags: "--cwd <folder>", summary: "working folder" },
    { flags: "--in <folder>", summary: "the same as --cwd" },
    { flags: "--tui", summary: "use the full screen, whatever the settings say" },
    { flags: "--cli", summary: "use the plain chat, line by line" },
    { flags: "--plain", summary: "the same as --cli" },
    { flags: "--yolo", summary: "turn approvals off; hard blocks and deny rules still apply" },
    { flags: "--accept-hooks", summary: "accept new shell hooks without asking" },
    { flags: "--ignore-user-config", summary: "ignore config.yaml, except deny and ask rules; .env still applies" },
    { flags: "--ignore-rules", summary: "do not load AGENTS.md, SOUL.md and memory" },
    { flags: "--safe-mode", summary: "both --ignore options, and load no custom tools, plugins, MCP servers or hooks" },
    { flags: "--record [file]", summary: "record model answers and tool results for `hermes replay`" },
    {
      flags: "--usage-file <file>",
      summary: "with a prompt: write tokens, cost and outcome as JSON, also on failure",
    },
  ],
  examples: [
    'hermes "what changed here today?"',
    'hermes -z "which of these files is the largest?"',
    'git diff | hermes chat -q "review this"',
    'hermes -z "say hi" --json | tail -1',
    "hermes --continue",
  ],
  async run(input, ctx) {
    const format = choiceOption(input, "format", ["text", "stream-json"]);
    const outer = format === "stream-json" ? { ...ctx, json: true } : ctx;
    const isWished = input.flag("worktree");
    if (!isWished && !(await startsInWorktree(input, ctx))) return converse(input, outer);
    const { inWorktree } = await import("../../chat/session-worktree.ts");
    return inWorktree(outer, isWished, (inner) => converse(input, inner));
  },
};

/** The setting `worktree` applies to new sessions. */
async function startsInWorktree(input: CliInput, ctx: CliContext): Promise<boolean> {
  if (input.option("resume") !== undefined || input.option("continue") !== undefined) return false;
  // Reads the settings only if they may contain `worktree`, because reading takes longer than drawing the prompt.
  return mentionsSetting("worktree", ctx) && (await ctx.config()).values.worktree;
}

async function converse(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { readChatRequest } = await import("../../chat/chat-request.ts");
  const request = readChatRequest(input, ctx);
  const isTyped = request.prompt === undefined && !ctx.json;
  if ((isTyped || request.isOpening) && !ctx.json && ctx.io.stdinIsTerminal) {
    const { runInteractiveChat } = await import("../../screen/choose-interface.ts");
    return runInteractiveChat(request, input, ctx);
  }
  if (isTyped && !request.isQuiet && request.usageFile === undefined) {
    const { runPipedChat } = await import("../../chat/run-piped-chat.ts");
    return runPipedChat(request, ctx);
  }
  const { runOneShot } = await import("../../chat/one-shot.ts");
  return runOneShot(request, ctx);
}

export const commands: readonly CliCommand[] = [chat];

import { PlainFailure } from "../base/plain-failure.ts";
import { plural, oneLine } from "../base/text/text.ts";
import { durationText } from "../base/text/time-text.ts";
import { withoutModel } from "../contracts/model/context.ts";
import type { Usage } from "../contracts/model/model.ts";
import type { TodoItem } from "../contracts/session/todo.ts";
import { mainArgument } from "../contracts/tool/main-argument.ts";
import { restore } from "./knowledge-commands.ts";
import { rows, tokenCount, dollars, promptText, sureWords } from "./reply-text.ts";
import type { SlashCommand, SlashContext } from "./slash-command.ts";

export const turnCommands: readonly SlashCommand[] = [
  {
    name: "context",
    aliases: ["ctx"],
    summary: "Show how full the context window is, and what a compaction keeps",
    async run(_args, { run }) {
      const { tokens, window, threshold, estimated, messages, files, todos } = await run("session.context", {});
      const percent = (of: number) => `${Math.round((of / window) * 100)} %`;
      const open = todos.filter(({ status }) => status === "pending" || status === "in_progress");
      const used = `${tokenCount(tokens)} of ${tokenCount(window)} tokens (${percent(tokens)})`;
      const shown = files.slice(-8).map(({ path, how }) => `${path} (${how})`);
      return {
        text: rows([
          ["used", `${estimated ? "about " : ""}${used}`],
          ["compacted at", Number.isFinite(threshold) ? `${tokenCount(threshold)} (${percent(threshold)})` : "never"],
          ["messages", String(messages)],
          ["open todos", String(open.length)],
          ["files", shown.join(", ") || "none"],
        ]),
      };
    },
  },
  {
    name: "usage",
    summary: "Show tokens and cost of the last turn, this session and today",
    async run(_args, ctx) {
      const { turn, session, sessionCalls, day } = await ctx.run("usage.session", {});
      return {
        text: rows([
          ["last turn", turn.input + turn.output === 0 ? "none yet" : usageText(turn)],
          [
            "session",
            sessionCalls === 0 ? "nothing yet" : `${usageText(session)}, ${plural(sessionCalls, "model call")}`,
          ],
          ["today", `${tokenCount(day.tokens)} tokens, ${dollars(day.costUsd)}, all sessions`],
        ]),
      };
    },
  },
  {
    name: "compress",
    aliases: ["compact"],
    args: "[focus]",
    summary: "Compact the context now; the store keeps the originals, and the summary details the focus",
    whileBusy: "refuse",
    async run(args, { run }) {
      const { before, after, mechanical } = await run("session.compress", { focus: args === "" ? undefined : args });
      const sizes = `Compacted from ${tokenCount(before)} to ${tokenCount(after)} tokens`;
      return { text: mechanical ? `${sizes} (${withoutModel}).` : `${sizes}.` };
    },
  },
  {
    name: "retry",
    summary: "Undo the last exchange and send its prompt again",
    whileBusy: "refuse",
    async run(_args, { run }) {
      const { prompt } = await run("session.undo", {});
      return { text: `Again: ${oneLine(promptText(prompt), 200)}`, effect: { kind: "prompt", content: prompt } };
    },
  },
  {
    name: "undo",
    args: "[count] [now]",
    maxWords: 2,
    summary: "Undo the last exchanges, on request also their changes of files; the prompt returns to the input line",
    whileBusy: "refuse",
    async run(args, ctx) {
      const { run, confirm, signal } = ctx;
      const words = args.split(/\s+/u).filter((word) => word !== "");
      const isSure = words.some((word) => sureWords.includes(word));
      const [given = "1", extra] = words.filter((word) => !sureWords.includes(word));
      if (extra !== undefined) return { text: `/undo does not know "${extra}".`, failed: true };
      const turns = Number(given);
      if (!Number.isSafeInteger(turns) || turns < 1)
        return { text: `"${given}" is not a number of exchanges.`, failed: true };
      if ((await run("session.status", {})).isEmpty) return { text: "This session is empty.", failed: true };
      const question = `Undo the last ${turns === 1 ? "exchange" : plural(turns, "exchange")}?`;
      if (!isSure && confirm && !(await confirm(question, signal))) return { text: "Nothing was undone." };
      const { prompt, filesAt } = await run("session.undo", { turns });
      const files = filesAt === undefined ? "" : await undoFiles(filesAt, isSure, ctx);
      const text = prompt.map((part) => (part.type === "text" ? part.text : "")).join("");
      return {
        text: `Undone, from: ${oneLine(promptText(prompt), 200)}${files === "" ? "" : `\n${files}`}`,
        effect: { kind: "draft", text },
      };
    },
  },
  {
    name: "output",
    args: "[count]",
    maxWords: 1,
    summary: "Show the whole output of the last tool call, or of the call that many calls back",
    async run(args, { run }) {
      const back = args === "" ? 1 : Number(args);
      if (!Number.isSafeInteger(back) || back < 1) return { text: `"${args}" is not a number of calls.`, failed: true };
      const { tool, args: given, failed, summary, output, diff } = await run("session.output", { back });
      const about = [tool, mainArgument(given, 200), ...(failed ? [`✗ ${summary}`] : ["✓"])];
      return { text: about.filter((word) => word !== "").join(" "), output: diff ?? (output || "(no output)") };
    },
  },
  {
    name: "todo",
    aliases: ["todos"],
    summary: "Show the plan of this session",
    async run(_args, { run }) {
      const { todos } = await run("session.context", {});
      return {
        text: todos.map(({ status, content }) => `  ${marks[status]} ${content}`).join("\n") || "There is no plan yet.",
      };
    },
  },
  {
    name: "queue",
    aliases: ["q"],
    args: "<prompt> | list | clear",
    summary: "Queue a prompt after the running turn",
    async run(args, { run }) {
      if (args === "clear") {
        const { removed } = await run("session.clearQueue", {});
        return { text: `Removed ${plural(removed, "prompt")} from the queue.` };
      }
      if (args === "" || args === "list") {
        const { queued } = await run("session.queue", {});
        const lines = queued.map((content, index) => `  ${index + 1}. ${oneLine(promptText(content), 160)}`);
        return { text: lines.join("\n") || "The queue is empty." };
      }
      const { isBusy, queued } = await run("session.queue", { text: args });
      return { text: isBusy ? `Queued after the running turn (${plural(queued.length, "prompt")}).` : "" };
    },
  },
  {
    name: "steer",
    aliases: ["s"],
    args: "<text>",
    summary: "Send text to the running turn, without stopping it",
    async run(args, { run }) {
      if (args === "") return { text: "Pass a text: /steer TEXT", failed: true };
      const { isBusy } = await run("session.steer", { text: args });
      return { text: isBusy ? "Queued. The agent sees it after the current tool call." : "" };
    },
  },
  {
    name: "ps",
    aliases: ["processes"],
    summary: "List the background processes of this session",
    async run(_args, { run }) {
      const { processes } = await run("session.processes", {});
      if (processes.length === 0) return { text: "No background process runs." };
      return {
        text: rows(
          processes.map(({ id, command, pid, isRunning, isKept, how, exitCode, ranMs }) => {
            const ended = exitCode === undefined ? (how ?? "ended") : `exit code ${exitCode}`;
            const facts = [
              isRunning ? "running" : ended,
              durationText(ranMs),
              ...(isRunning && pid !== undefined ? [`pid ${pid}`] : []),
              ...(isKept ? ["kept after exit"] : []),
            ];
            return [id, `${facts.join(", ")}: ${oneLine(command, 120)}`] as const;
          }),
        ),
      };
    },
  },
  {
    name: "stop",
    summary: "Stop the running turn and kill the background processes of this session",
    whileBusy: "interrupt",
    async run(_args, { run }) {
      const { ended } = await run("session.stopProcesses", {});
      const { isBusy } = await run("session.status", {});
      const processes = ended === 0 ? "" : `; ${plural(ended, "background process")} ended`;
      if (isBusy)
        return { text: `Stopped${processes}. The next queued prompt runs now: /stop again, or /queue clear.` };
      return { text: ended === 0 ? "Nothing is running." : `Stopped${processes}.` };
    },
  },
];

/** Names the files that the undone exchanges changed, and offers to restore them. */
async function undoFiles(checkpoint: string, isSure: boolean, ctx: SlashContext): Promise<string> {
  try {
    const { changes } = await ctx.run("checkpoints.plan", { checkpoint });
    if (changes.length === 0) return "";
    if (!isSure && ctx.confirm) {
      const { text } = await restore({ checkpoint, isSure: false, withDoubts: false }, ctx);
      return text === "Nothing was changed." ? stayText(changes, checkpoint) : text;
    }
    return stayText(changes, checkpoint);
  } catch (thrown) {
    if (thrown instanceof PlainFailure) return `The files were not restored: ${thrown.message}`;
    throw thrown;
  }
}

function stayText(changes: readonly { readonly path: string }[], checkpoint: string): string {
  const names = changes.slice(0, 10).map(({ path }) => path);
  const more = changes.length > names.length ? ` and ${changes.length - names.length} more` : "";
  const subject = changes.length === 1 ? "1 file stays" : `${changes.length} files stay`;
  return `${subject} changed: ${names.join(", ")}${more}. To restore: /rollback ${checkpoint}`;
}

function usageText({ input, output, cacheRead, reasoning, costUsd, estimated }: Usage): string {
  const cached = cacheRead > 0 ? ` (${tokenCount(cacheRead)} cached)` : "";
  const thought = reasoning > 0 ? ` (${tokenCount(reasoning)} reasoning)` : "";
  const about = estimated ? "about " : "";
  return `${about}${tokenCount(input)} in${cached}, ${tokenCount(output)} out${thought}, ${dollars(costUsd)}`;
}

const marks: Readonly<Record<TodoItem["status"], string>> = {
  pending: "○",
  in_progress: "◐",
  completed: "●",
  cancelled: "–",
};

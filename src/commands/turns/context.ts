import { rows, tokenCount } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const contextCommand: SlashCommand = {
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
};

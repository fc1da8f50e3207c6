import { oneLine, plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const historyCommand: SlashCommand = {
  name: "history",
  args: "[count]",
  maxWords: 1,
  summary: "Show the prompts and answers of this session, the last ones at the end",
  async run(args, { run, sessionId }) {
    const limit = args === "" ? defaultShown : Number(args);
    if (!Number.isSafeInteger(limit) || limit < 1)
      return { text: `"${args}" is not a number of messages.`, failed: true };
    const { messages, isCompacted } = await run("session.messages", {});
    if (messages.length === 0 && !isCompacted) return { text: "This session is empty." };
    const shown = messages.slice(-limit);
    const left = messages.length - shown.length;
    const lines = shown.map(({ role, text, tools }) => {
      if (role === "user") return `**❯** ${oneLine(text, 500)}`;
      const used = tools.length === 0 ? "" : `  (${plural(tools.length, "tool call")})`;
      return `  ${oneLine(text, 500) || "(no text)"}${used}`;
    });
    const more = left > 0 ? [`… ${plural(left, "earlier message")}: /history ${messages.length}`] : [];
    const compacted = isCompacted
      ? [`Messages before the last compaction are not listed. To see them: hermes sessions show ${sessionId}`]
      : [];
    return { text: [...compacted, ...more, ...lines].join("\n") };
  },
};

const defaultShown = 20;

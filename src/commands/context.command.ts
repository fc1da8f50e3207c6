import { rows, tokenCount } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "context",
  aliases: ["ctx"],
  summary: "Show how full the window is, and what would survive shortening",
  where: "everywhere",
  whileBusy: "now",
  async run(_args, { session }) {
    const { tokens, window, threshold, estimated, messages } = session.context();
    const percent = (of: number) => `${Math.round((of / window) * 100)} %`;
    const files = session.files();
    const open = session.todos().filter(({ status }) => status === "pending" || status === "in_progress");
    return {
      text: rows([
        [
          "used",
          `${estimated ? "about " : ""}${tokenCount(tokens)} of ${tokenCount(window)} tokens (${percent(tokens)})`,
        ],
        [
          "shortened at",
          Number.isFinite(threshold) ? `${tokenCount(threshold)} (${percent(threshold)})` : "never by itself",
        ],
        ["messages", String(messages)],
        ["open todos", String(open.length)],
        [
          "files",
          files.length === 0
            ? "none"
            : files
                .slice(-8)
                .map(({ path, how }) => `${path} (${how})`)
                .join(", "),
        ],
      ]),
    };
  },
});

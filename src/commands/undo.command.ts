import { oneLine, plural } from "../base/text/text.ts";
import { promptText } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "undo",
  args: "[count] [now]",
  summary: "Take back the last exchanges; files stay as they are",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, { host, session, signal }) {
    const words = args.split(/\s+/u).filter((word) => word !== "");
    const saysSure = (word: string) => ["now", "--yes", "-y"].includes(word);
    const isSure = words.some(saysSure);
    const given = words.find((word) => !saysSure(word)) ?? "1";
    const turns = Number(given);
    if (!Number.isSafeInteger(turns) || turns < 1)
      return { text: `"${given}" is no number of exchanges.`, failed: true };
    if (session.history().length === 0) return { text: "Nothing was said yet.", failed: true };
    const question = `Take back the last ${turns === 1 ? "exchange" : plural(turns, "exchange")}?`;
    if (!isSure && host.confirm && !(await host.confirm(question, signal))) return { text: "Nothing was taken back." };
    const undone = await session.undo(turns);
    if (!undone.ok) return { text: undone.error.message, failed: true };
    return { text: `Taken back, from: ${oneLine(promptText(undone.value.prompt), 200)}` };
  },
});

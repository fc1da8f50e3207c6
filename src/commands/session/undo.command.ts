import { oneLine, plural } from "../../base/text/text.ts";
import { promptText } from "../reply-text.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "undo",
  args: "[count] [now]",
  summary: "Undo the last exchanges; files stay unchanged",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, { run, confirm, signal }) {
    const words = args.split(/\s+/u).filter((word) => word !== "");
    const saysSure = (word: string) => ["now", "--yes", "-y"].includes(word);
    const isSure = words.some(saysSure);
    const given = words.find((word) => !saysSure(word)) ?? "1";
    const turns = Number(given);
    if (!Number.isSafeInteger(turns) || turns < 1)
      return { text: `"${given}" is not a number of exchanges.`, failed: true };
    if ((await run("session.status", {})).isEmpty) return { text: "This session is empty.", failed: true };
    const question = `Undo the last ${turns === 1 ? "exchange" : plural(turns, "exchange")}?`;
    if (!isSure && confirm && !(await confirm(question, signal))) return { text: "Nothing was undone." };
    const { prompt } = await run("session.undo", { turns });
    return { text: `Undone, from: ${oneLine(promptText(prompt), 200)}` };
  },
});

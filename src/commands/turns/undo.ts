import { PlainFailure } from "../../base/plain-failure.ts";
import { plural, oneLine } from "../../base/text/text.ts";
import { restore } from "../knowledge/restore-files.ts";
import { promptText, sureWords } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";

export const undoCommand: SlashCommand = {
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
};

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

import { oneLine } from "../../base/text/text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import type { Branch, MovedHead } from "../../contracts/session/session-tree.ts";
import { restore } from "../knowledge/restore-files.ts";
import { promptText } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";
import {
  filesWish,
  isSure,
  goToBranch,
  restoreBranchFiles,
  countChanges,
  placeText,
  unrecordedText,
} from "./switch-branch.ts";

export const branchCommand: SlashCommand = {
  name: "branch",
  aliases: ["fork"],
  args: "[number] [name] [--here] [--files] | switch name [--files] | files | list",
  summary: "Start a branch here or after an earlier exchange, or switch to another one",
  whileBusy: "refuse",
  async run(args, ctx) {
    // Without a number, a branch starts at the current message.
    const [first = "", ...rest] = args.split(/\s+/u).filter((word) => word !== "--here");
    switch (first) {
      case "switch":
        if (rest.length === 0)
          return { text: "Name a branch: /branch switch NAME. /tree lists branches.", failed: true };
        return goToBranch(filesWish(rest.join(" ")), ctx);
      case "list":
        if (rest.length === 0) return { text: listText((await ctx.run("session.tree", {})).branches) };
        break;
      case "files":
        if (rest.length === 0 || isSure(rest)) return restoreBranchFiles(isSure(rest), ctx);
        break;
      default:
    }
    const from = /^(?:\d+|e\d+)$/u.test(first) ? first : undefined;
    const text = (from === undefined ? [first, ...rest] : rest).join(" ").trim();
    const files = filesWish(text);
    const name = files.withFiles ? files.branch : text;
    const moved = await ctx.run("session.branch", { from, name: name === "" ? undefined : name });
    const started = begunText(moved);
    if (!files.withFiles) return { text: `${started}${await changedText(moved, ctx)}` };
    const brought = await bringFilesOf(moved, files.isSure, ctx);
    return { ...brought, text: `${started}\n${brought.text}` };
  },
};

/** Restores the files to their state where a new branch starts. */
async function bringFilesOf({ filesAt }: MovedHead, isCertain: boolean, ctx: SlashContext): Promise<CommandReply> {
  if (filesAt === undefined) return { text: "No recorded call has changed files since this point." };
  return restore({ checkpoint: filesAt, isSure: isCertain, withDoubts: false }, ctx);
}

async function changedText({ filesAt }: MovedHead, ctx: SlashContext): Promise<string> {
  const count = await countChanges(filesAt, ctx);
  if (count === 0) return "";
  const [what, them] = count === 1 ? ["1 file was", "it"] : [`${count} files were`, "them"];
  return `\n${what} changed since: /rollback ${filesAt} restores ${them}.`;
}

function begunText(moved: MovedHead): string {
  const { branch, prompt } = moved;
  const before = prompt ? ` It starts before: ${oneLine(promptText(prompt), 200)}` : "";
  return `Switched to the new branch ${placeText(branch)}. /tree lists branches.${before}${unrecordedText(moved)}`;
}

function listText(branches: readonly Branch[]): string {
  return branches.map((branch) => `${branch.isCurrent ? "◉" : "○"} ${placeText(branch)}`).join("\n");
}

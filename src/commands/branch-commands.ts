import { systemClock } from "../base/clock.ts";
import { PlainFailure } from "../base/plain-failure.ts";
import { oneLine, plural } from "../base/text/text.ts";
import type { CommandReply } from "../contracts/host/command.ts";
import type { Branch, MovedHead } from "../contracts/session/session-tree.ts";
import { drawTree } from "./draw-tree.ts";
import { restore } from "./knowledge-commands.ts";
import { promptText, sureWords } from "./reply-text.ts";
import type { SlashContext, SlashCommand } from "./slash-command.ts";

export const branchCommands: readonly SlashCommand[] = [
  {
    name: "branch",
    aliases: ["fork"],
    args: "[number] [name] [--files] | switch name [--files] | files | list",
    summary: "Start a branch here or after an earlier exchange, or switch to another one",
    whileBusy: "refuse",
    async run(args, ctx) {
      const [first = "", ...rest] = args.split(/\s+/u);
      switch (first) {
        case "switch":
          if (rest.length === 0)
            return { text: "Name a branch: /branch switch NAME. /tree lists branches.", failed: true };
          return goToBranch(filesWish(rest.join(" ")), ctx);
        case "list":
          if (rest.length === 0) return { text: listText((await ctx.run("session.tree", {})).branches) };
          break;
        case "files":
          if (rest.length === 0 || isSure(rest)) return bringFiles(isSure(rest), ctx);
          break;
        default:
      }
      const from = /^(?:\d+|e\d+)$/u.test(first) ? first : undefined;
      const text = (from === undefined ? args : rest.join(" ")).trim();
      const files = filesWish(text);
      const name = files.withFiles ? files.branch : text;
      const moved = await ctx.run("session.branch", { from, name: name === "" ? undefined : name });
      const started = begunText(moved);
      if (!files.withFiles) return { text: `${started}${await changedText(moved, ctx)}` };
      const brought = await bringFilesOf(moved, files.isSure, ctx);
      return { ...brought, text: `${started}\n${brought.text}` };
    },
  },
  {
    name: "tree",
    args: "[all | branch|number [--files]]",
    summary: "Show the branches of this session, or switch to one",
    async run(args, ctx) {
      const isWhole = args === "all";
      if (args !== "" && !isWhole) {
        const { isBusy } = await ctx.run("session.status", {});
        return isBusy
          ? { text: "A turn is running: stop it first (/stop).", failed: true }
          : goToBranch(filesWish(args), ctx);
      }
      const tree = await ctx.run("session.tree", {});
      const drawn = drawTree(tree, { columns: Math.min(ctx.columns, 160), now: systemClock.now(), isWhole });
      const others = tree.branches.length - 1;
      const hint =
        others === 0
          ? "/branch [NUMBER] [NAME] starts a branch here, or after an exchange."
          : `${plural(others, "other branch")}: /tree NAME switches to it, --files restores its files.`;
      return { text: `${drawn}\n${hint}` };
    },
  },
];

interface SwitchWish {
  readonly branch: string;
  /** Also restores the files of the branch. */
  readonly withFiles: boolean;
  /** Skips the confirmation. */
  readonly isSure: boolean;
}

/** Parses `name --files now`. */
function filesWish(text: string): SwitchWish {
  const words = text.split(/\s+/u);
  const name = words.filter((word) => word !== "--files" && !sure.has(word));
  return { branch: name.join(" "), withFiles: words.includes("--files"), isSure: isSure(words) };
}

const sure: ReadonlySet<string> = new Set(sureWords);

function isSure(words: readonly string[]): boolean {
  return words.some((word) => sure.has(word));
}

async function goToBranch(wish: SwitchWish, ctx: SlashContext): Promise<CommandReply> {
  const moved = await ctx.run("session.switchTo", { branch: wish.branch });
  const text = `Switched to ${placeText(moved.branch)}.${unrecordedText(moved)}`;
  if (wish.withFiles) {
    const files = await bringFiles(wish.isSure, ctx);
    return { ...files, text: `${text}\n${files.text}` };
  }
  return { text: `${text}${await differenceText(moved.branch, ctx)}` };
}

/** Restores the files of the current branch. */
async function bringFiles(isCertain: boolean, ctx: SlashContext): Promise<CommandReply> {
  const current = (await ctx.run("session.tree", {})).branches.find((branch) => branch.isCurrent);
  if (current?.checkpoint === undefined)
    return { text: "The files of this branch were not recorded when you left it; nothing was changed.", failed: true };
  return restore({ checkpoint: current.checkpoint, isSure: isCertain, withDoubts: false }, ctx);
}

/** Restores the files to their state where a new branch starts. */
async function bringFilesOf({ filesAt }: MovedHead, isCertain: boolean, ctx: SlashContext): Promise<CommandReply> {
  if (filesAt === undefined) return { text: "No recorded call has changed files since." };
  return restore({ checkpoint: filesAt, isSure: isCertain, withDoubts: false }, ctx);
}

async function changedText({ filesAt }: MovedHead, ctx: SlashContext): Promise<string> {
  const count = await countChanges(filesAt, ctx);
  if (count === 0) return "";
  const [what, them] = count === 1 ? ["1 file was", "it"] : [`${count} files were`, "them"];
  return `\n${what} changed since: /rollback ${filesAt} restores ${them}.`;
}

/** Reports how many files of the workspace differ from the branch; empty if none do. */
async function differenceText({ checkpoint }: Branch, ctx: SlashContext): Promise<string> {
  const count = await countChanges(checkpoint, ctx);
  if (count === 0) return "";
  const [what, them] = count === 1 ? ["1 file differs", "it"] : [`${count} files differ`, "them"];
  return `\n${what} from this branch: /branch files restores ${them}.`;
}

/** Returns 0 if checkpoints are off. */
async function countChanges(checkpoint: string | undefined, { run }: SlashContext): Promise<number> {
  if (checkpoint === undefined) return 0;
  try {
    return (await run("checkpoints.plan", { checkpoint })).changes.length;
  } catch (thrown) {
    if (thrown instanceof PlainFailure) return 0;
    throw thrown;
  }
}

function begunText(moved: MovedHead): string {
  const { branch, prompt } = moved;
  const before = prompt ? ` It starts before: ${oneLine(promptText(prompt), 200)}` : "";
  return `Switched to the new branch ${placeText(branch)}. /tree lists branches.${before}${unrecordedText(moved)}`;
}

function placeText({ name, last }: Branch): string {
  return last === undefined ? `${name}, at the beginning` : `${name}, after exchange ${last}`;
}

function unrecordedText({ unrecorded }: MovedHead): string {
  const isKnown = unrecorded === undefined || unrecorded === "checkpoints are off";
  return isKnown ? "" : ` (The previous state of the files was not recorded: ${unrecorded}.)`;
}

function listText(branches: readonly Branch[]): string {
  return branches.map((branch) => `${branch.isCurrent ? "◉" : "○"} ${placeText(branch)}`).join("\n");
}

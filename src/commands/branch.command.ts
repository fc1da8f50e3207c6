import { oneLine } from "../base/text/text.ts";
import type { CommandReply } from "../contracts/host/command.ts";
import type { Branch, MovedHead } from "../contracts/session/session-tree.ts";
import { promptText } from "./reply-text.ts";
import { restore } from "./rollback.command.ts";
import { defineCommand, type SlashContext } from "./slash-command.ts";

export default defineCommand({
  name: "branch",
  aliases: ["fork"],
  args: "[number] [name] [--files] | switch name [--files] | files | list",
  summary: "Go on from here, or from an earlier exchange, on a new branch; or change to another",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, ctx) {
    const [first = "", ...rest] = args.split(/\s+/u);
    switch (first) {
      case "switch":
        if (rest.length === 0) return { text: "Which one? /tree shows them: /branch switch NAME", failed: true };
        return goToBranch(filesWish(rest.join(" ")), ctx);
      case "list":
        if (rest.length === 0) return { text: listText((await ctx.session.tree()).branches) };
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
    const wish = { ...(from !== undefined && { from }), ...(name !== "" && { name }) };
    const moved = await ctx.session.branch(wish, ctx.signal);
    if (!moved.ok) return { text: moved.error.message, failed: true };
    const begun = begunText(moved.value);
    if (!files.withFiles) return { text: `${begun}${await changedText(moved.value, ctx)}` };
    const brought = await bringFilesOf(moved.value, files.isSure, ctx);
    return { ...brought, text: `${begun}\n${brought.text}` };
  },
});

export interface SwitchWish {
  readonly branch: string;
  /** Its files, too. */
  readonly withFiles: boolean;
  /** Nothing is asked. */
  readonly isSure: boolean;
}

/** `name --files now`. */
export function filesWish(text: string): SwitchWish {
  const words = text.split(/\s+/u);
  const name = words.filter((word) => word !== "--files" && !sure.has(word));
  return { branch: name.join(" "), withFiles: words.includes("--files"), isSure: isSure(words) };
}

const sure: ReadonlySet<string> = new Set(["now", "--yes", "-y"]);

function isSure(words: readonly string[]): boolean {
  return words.some((word) => sure.has(word));
}

export async function goToBranch(wish: SwitchWish, ctx: SlashContext): Promise<CommandReply> {
  const { session, signal } = ctx;
  const moved = await session.switchTo(wish.branch, signal);
  if (!moved.ok) return { text: `${moved.error.message}. /tree shows them.`, failed: true };
  const text = `On ${placeText(moved.value.branch)}.${unrecordedText(moved.value)}`;
  if (wish.withFiles) {
    const files = await bringFiles(wish.isSure, ctx);
    return { ...files, text: `${text}\n${files.text}` };
  }
  return { text: `${text}${await differenceText(moved.value.branch, ctx)}` };
}

/** Restores the files of the current branch. */
async function bringFiles(isCertain: boolean, ctx: SlashContext): Promise<CommandReply> {
  const current = (await ctx.session.tree()).branches.find((branch) => branch.isCurrent);
  if (current?.checkpoint === undefined)
    return { text: "The files of this branch were not recorded when you left it; nothing was changed.", failed: true };
  return restore({ checkpoint: current.checkpoint, isSure: isCertain, withDoubts: false }, ctx);
}

/** Restores the files to their state where a new branch starts. */
async function bringFilesOf({ filesAt }: MovedHead, isCertain: boolean, ctx: SlashContext): Promise<CommandReply> {
  if (filesAt === undefined) return { text: "No recorded call has changed files since." };
  return restore({ checkpoint: filesAt, isSure: isCertain, withDoubts: false }, ctx);
}

async function changedText({ filesAt }: MovedHead, { session, signal }: SlashContext): Promise<string> {
  const plan = filesAt === undefined ? undefined : await session.checkpoints?.plan(filesAt, {}, signal);
  if (filesAt === undefined || !plan?.ok || plan.value.changes.length === 0) return "";
  const count = plan.value.changes.length;
  const [what, them] = count === 1 ? ["1 file was", "it"] : [`${count} files were`, "them"];
  return `\n${what} changed since: /rollback ${filesAt} brings ${them} back.`;
}

/** Whoever changes to a branch sees whether its files are the ones that lie here. */
async function differenceText({ checkpoint }: Branch, { session, signal }: SlashContext): Promise<string> {
  if (checkpoint === undefined || !session.checkpoints) return "";
  const plan = await session.checkpoints.plan(checkpoint, {}, signal);
  if (!plan.ok || plan.value.changes.length === 0) return "";
  const count = plan.value.changes.length;
  const [what, them] = count === 1 ? ["1 file is", "it"] : [`${count} files are`, "them"];
  return `\n${what} not as on this branch: /branch files brings ${them} back.`;
}

function begunText(moved: MovedHead): string {
  const { branch, prompt } = moved;
  const before = prompt ? ` It goes on before: ${oneLine(promptText(prompt), 200)}` : "";
  return `On the new branch ${placeText(branch)}; /tree shows all.${before}${unrecordedText(moved)}`;
}

function placeText({ name, last }: Branch): string {
  return last === undefined ? `${name}, at the beginning` : `${name}, behind exchange ${last}`;
}

function unrecordedText({ unrecorded }: MovedHead): string {
  const isKnown = unrecorded === undefined || unrecorded === "checkpoints are off";
  return isKnown ? "" : ` (Files as they were are not recorded: ${unrecorded}.)`;
}

function listText(branches: readonly Branch[]): string {
  return branches.map((branch) => `${branch.isCurrent ? "◉" : "○"} ${placeText(branch)}`).join("\n");
}

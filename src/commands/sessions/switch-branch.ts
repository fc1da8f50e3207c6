import { PlainFailure } from "../../base/plain-failure.ts";
import { oneLine } from "../../base/text/text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import { promptForPeople } from "../../contracts/session/program-prompt.ts";
import type { Branch, MovedHead } from "../../contracts/session/session-tree.ts";
import { restore } from "../knowledge/restore-files.ts";
import { sureWords } from "../reply-text.ts";
import type { SlashContext } from "../slash-command.ts";

interface SwitchWish {
  readonly branch: string;
  /** Also restores the files of the branch. */
  readonly withFiles: boolean;
  /** Skips the confirmation. */
  readonly isSure: boolean;
}

/** Parses `name --files now`. */
export function filesWish(text: string): SwitchWish {
  const words = text.split(/\s+/u);
  const name = words.filter((word) => word !== "--files" && !sure.has(word));
  return { branch: name.join(" "), withFiles: words.includes("--files"), isSure: isSure(words) };
}

const sure: ReadonlySet<string> = new Set(sureWords);

export function isSure(words: readonly string[]): boolean {
  return words.some((word) => sure.has(word));
}

export async function goToBranch(wish: SwitchWish, ctx: SlashContext): Promise<CommandReply> {
  const moved = await ctx.run("session.switchTo", { branch: wish.branch });
  const text = `Switched to ${placeText(moved.branch)}.${unrecordedText(moved)}${await lastExchangeText(moved.branch, ctx)}`;
  if (wish.withFiles) {
    const files = await restoreBranchFiles(wish.isSure, ctx);
    return { ...files, text: `${text}\n${files.text}` };
  }
  return { text: `${text}${await differenceText(moved.branch, ctx)}` };
}

/** A short form of the exchange after which the conversation continues. Empty at the beginning. */
async function lastExchangeText({ last }: Branch, { run }: SlashContext): Promise<string> {
  const { exchanges } = await run("session.tree", {});
  const exchange = exchanges.find(({ number }) => number === last);
  if (!exchange) return "";
  const answer = oneLine(exchange.answered, maxShownChars);
  return `\n  ❯ ${oneLine(promptForPeople(exchange.asked), maxShownChars)}${answer === "" ? "" : `\n  ${answer}`}`;
}

const maxShownChars = 160;

/** Restores the files of the current branch. */
export async function restoreBranchFiles(isCertain: boolean, ctx: SlashContext): Promise<CommandReply> {
  const current = (await ctx.run("session.tree", {})).branches.find((branch) => branch.isCurrent);
  if (current?.checkpoint === undefined)
    return { text: "The files of this branch were not recorded when you left it; nothing was changed.", failed: true };
  return restore({ checkpoint: current.checkpoint, isSure: isCertain, withDoubts: false }, ctx);
}

/** Reports how many files of the workspace differ from the branch; empty if none do. */
async function differenceText({ checkpoint }: Branch, ctx: SlashContext): Promise<string> {
  const count = await countChanges(checkpoint, ctx);
  if (count === 0) return "";
  const [what, them] = count === 1 ? ["1 file differs", "it"] : [`${count} files differ`, "them"];
  return `\n${what} from this branch: /branch files restores ${them}.`;
}

/** Returns 0 if checkpoints are off. */
export async function countChanges(checkpoint: string | undefined, { run }: SlashContext): Promise<number> {
  if (checkpoint === undefined) return 0;
  try {
    return (await run("checkpoints.plan", { checkpoint })).changes.length;
  } catch (thrown) {
    if (thrown instanceof PlainFailure) return 0;
    throw thrown;
  }
}

export function placeText({ name, last }: Branch): string {
  return last === undefined ? `${name}, at the beginning` : `${name}, after exchange ${last}`;
}

export function unrecordedText({ unrecorded }: MovedHead): string {
  const isKnown = unrecorded === undefined || unrecorded === "checkpoints are off";
  return isKnown ? "" : ` (The previous state of the files was not recorded: ${unrecorded}.)`;
}

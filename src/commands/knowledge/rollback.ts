import type { CommandReply } from "../../contracts/host/command.ts";
import { checkpointLine } from "../../contracts/knowledge/checkpoint-text.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";
import { restore } from "./restore-files.ts";

export const rollbackCommand: SlashCommand = {
  name: "rollback",
  args: "[n|id|name [path]] | diff n [path] | --all",
  summary: "List checkpoints of your files, or restore files to one; the conversation stays",
  whileBusy: "refuse",
  async run(args, ctx) {
    const words = args
      .trim()
      .split(/\s+/u)
      .filter((word) => word !== "");
    const isSure = words.some((word) => ["now", "--yes", "-y"].includes(word));
    const withDoubts = words.includes("--force");
    const [first, ...rest] = words.filter((word) => !["now", "--yes", "-y", "--force"].includes(word));
    if (first === undefined && ctx.hasPanels) return { text: "", effect: { kind: "open", panel: "checkpoints" } };
    if (first === undefined || first === "list") return list(ctx);
    if (first === "--all") return list(ctx, 1_000);
    const [checkpoint = "", ...pathWords] = first === "diff" ? (rest.length === 0 ? ["1"] : rest) : [first, ...rest];
    const path = pathWords.join(" ") || undefined;
    if (first !== "diff") return restore({ checkpoint, path, isSure, withDoubts }, ctx);
    const { diff } = await ctx.run("checkpoints.diff", { checkpoint, path });
    return diff === "" ? { text: "No files have changed since that checkpoint." } : { text: "", output: diff };
  },
};

async function list({ run }: SlashContext, limit?: number): Promise<CommandReply> {
  const { checkpoints } = await run("checkpoints.list", { limit });
  if (checkpoints.length === 0) return { text: "This session has not changed any files yet." };
  const lines = checkpoints.map((each, index): [string, string] => [
    String(index + 1),
    `${new Date(each.takenAt).toISOString().slice(11, 19)}  ${checkpointLine(each, 100)}`,
  ]);
  return {
    text: `Checkpoints before these calls, the last one first:\n${rows(lines)}\nTo restore the files: /rollback N`,
  };
}

import { plural } from "../../base/text/text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import { checkpointLine, planLines, planSummary } from "../../contracts/knowledge/checkpoint-text.ts";
import { rows } from "../reply-text.ts";
import { defineCommand, type SlashContext } from "../slash-command.ts";

export default defineCommand({
  name: "rollback",
  args: "[n|id|name [path]] | diff n [path]",
  summary: "List checkpoints of your files, or restore files to one; the conversation stays",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, ctx) {
    const words = args
      .trim()
      .split(/\s+/u)
      .filter((word) => word !== "");
    const isSure = words.some((word) => ["now", "--yes", "-y"].includes(word));
    const withDoubts = words.includes("--force");
    const [first, ...rest] = words.filter((word) => !["now", "--yes", "-y", "--force"].includes(word));
    if (first === undefined || first === "list") return list(ctx);
    const [checkpoint = "", ...pathWords] = first === "diff" ? (rest.length === 0 ? ["1"] : rest) : [first, ...rest];
    const path = pathWords.join(" ") || undefined;
    if (first !== "diff") return restore({ checkpoint, path, isSure, withDoubts }, ctx);
    const { diff } = await ctx.run("checkpoints.diff", { checkpoint, path });
    return { text: diff === "" ? "Nothing has changed since." : `\`\`\`diff\n${diff}\n\`\`\`` };
  },
});

async function list({ run }: SlashContext): Promise<CommandReply> {
  const { checkpoints } = await run("checkpoints.list", {});
  if (checkpoints.length === 0) return { text: "This session has not changed any files yet." };
  const lines = checkpoints.map((each, index): [string, string] => [
    String(index + 1),
    `${new Date(each.takenAt).toISOString().slice(11, 19)}  ${checkpointLine(each, 100)}`,
  ]);
  return {
    text: `Checkpoints before these calls, the last one first:\n${rows(lines)}\nTo restore the files: /rollback N`,
  };
}

interface RestoreWish {
  readonly checkpoint: string;
  readonly path?: string | undefined;
  readonly isSure: boolean;
  readonly withDoubts: boolean;
}

/** Shows what will change, asks, and restores the files. */
export async function restore(wish: RestoreWish, { run, confirm, signal }: SlashContext): Promise<CommandReply> {
  const { checkpoint: name, path, isSure, withDoubts } = wish;
  const plan = await run("checkpoints.plan", { checkpoint: name, path });
  const { checkpoint, changes } = plan;
  const sure = changes.filter(({ doubt }) => doubt === undefined);
  if (changes.length === 0) return { text: ["Nothing to restore.", ...planLines(plan, 20)].join("\n") };
  const shown = planLines(plan, 40).join("\n");
  let takesDoubts = withDoubts;
  if (!isSure && confirm) {
    const question = `${shown}\nRestore these files (${planSummary(sure)})?`;
    if (sure.length > 0 && !(await confirm(question, signal))) return { text: "Nothing was changed." };
    const doubtful = changes.length - sure.length;
    if (doubtful > 0 && !withDoubts) {
      const more = `${sure.length > 0 ? "" : `${shown}\n`}Also restore the ${plural(doubtful, "file")} marked with !, which somebody else may have changed, or whose change cannot be undone?`;
      takesDoubts = await confirm(more, signal);
    }
  }
  const done = await run("checkpoints.restore", { checkpoint, path, withDoubts: takesDoubts });
  const hasMore = done.left.length > 0 && !takesDoubts && changes.length > sure.length;
  return {
    text: [
      `Done: ${planSummary(done.changes)}.`,
      ...planLines(done, 40),
      ...(hasMore ? ["--force also restores the files marked with !."] : []),
      ...(done.undo === undefined ? [] : [`/rollback ${done.undo} undoes this.`]),
    ].join("\n"),
  };
}

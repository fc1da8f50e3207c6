import { plural } from "../../base/text/text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import { planLines, planSummary } from "../../contracts/knowledge/checkpoint-text.ts";
import type { SlashContext } from "../slash-command.ts";

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

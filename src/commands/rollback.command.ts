import { plural } from "../base/text/text.ts";
import type { CommandReply } from "../contracts/host/command.ts";
import { checkpointLine, planLines, planSummary } from "../contracts/knowledge/checkpoint-text.ts";
import type { Checkpoint, Checkpoints } from "../contracts/knowledge/checkpoint.ts";
import { rows } from "./reply-text.ts";
import { defineCommand, type SlashContext } from "./slash-command.ts";

export default defineCommand({
  name: "rollback",
  args: "[n|id|name [path]] | diff n [path]",
  summary: "List checkpoints of your files, or bring files back to one; the conversation stays",
  where: "everywhere",
  whileBusy: "refuse",
  async run(args, ctx) {
    const { checkpoints } = ctx.session;
    if (!checkpoints)
      return { text: "Checkpoints are off; `hermes config set checkpoints.enabled true` turns them on.", failed: true };
    const words = args
      .trim()
      .split(/\s+/u)
      .filter((word) => word !== "");
    const isSure = words.some((word) => ["now", "--yes", "-y"].includes(word));
    const withDoubts = words.includes("--force");
    const [first, ...rest] = words.filter((word) => !["now", "--yes", "-y", "--force"].includes(word));
    if (first === undefined || first === "list") return list(checkpoints, ctx);
    const [sought = "", ...pathWords] = first === "diff" ? (rest.length === 0 ? ["1"] : rest) : [first, ...rest];
    const path = pathWords.join(" ") || undefined;
    const found = await checkpoints.find(sought, ctx.signal);
    if (!found.ok) return { text: found.error.message, failed: true };
    if (first === "diff") {
      const diff = await checkpoints.diff(found.value.id, path, ctx.signal);
      if (!diff.ok) return { text: diff.error.message, failed: true };
      return { text: diff.value === "" ? "Nothing has changed since." : `\`\`\`diff\n${diff.value}\n\`\`\`` };
    }
    return restore(found.value, { path, isSure, withDoubts }, checkpoints, ctx);
  },
});

async function list(checkpoints: Checkpoints, { signal }: SlashContext): Promise<CommandReply> {
  const found = await checkpoints.list(20, signal);
  if (!found.ok) return { text: found.error.message, failed: true };
  if (found.value.length === 0) return { text: "Nothing was changed in this conversation yet." };
  const lines = found.value.map((each, at): [string, string] => [
    String(at + 1),
    `${new Date(each.takenAt).toISOString().slice(11, 19)}  ${checkpointLine(each, 100)}`,
  ]);
  return {
    text: `Before each of these, the last one first:\n${rows(lines)}\n/rollback N brings the files back to before it.`,
  };
}

interface Wish {
  readonly path: string | undefined;
  readonly isSure: boolean;
  readonly withDoubts: boolean;
}

/** Shows what will change, asks, and brings the files back. */
export async function restore(
  checkpoint: Checkpoint,
  { path, isSure, withDoubts }: Wish,
  checkpoints: Checkpoints,
  { host, signal }: SlashContext,
): Promise<CommandReply> {
  const only = path === undefined ? {} : { path };
  const plan = await checkpoints.plan(checkpoint.id, only, signal);
  if (!plan.ok) return { text: plan.error.message, failed: true };
  const { changes } = plan.value;
  const sure = changes.filter(({ doubt }) => doubt === undefined);
  if (changes.length === 0) return { text: ["Nothing has to be changed.", ...planLines(plan.value, 20)].join("\n") };
  const shown = planLines(plan.value, 40).join("\n");
  let takesDoubts = withDoubts;
  if (!isSure && host.confirm) {
    const question = `${shown}\nBring these files back (${planSummary(sure)})?`;
    if (sure.length > 0 && !(await host.confirm(question, signal))) return { text: "Nothing was changed." };
    const doubtful = changes.length - sure.length;
    if (doubtful > 0 && !withDoubts) {
      const asks = `${sure.length > 0 ? "" : `${shown}\n`}Also the ${plural(doubtful, "file")} marked with !, which somebody else may have changed or which cannot be undone?`;
      takesDoubts = await host.confirm(asks, signal);
    }
  }
  const done = await checkpoints.restore(checkpoint.id, { ...only, withDoubts: takesDoubts }, signal);
  if (!done.ok) return { text: done.error.message, failed: true };
  const { undo, left } = done.value;
  const lines = planLines({ changes: done.value.changes, left }, 40);
  const end = undo ? [`/rollback ${undo.id} takes this back.`] : [];
  const more =
    left.length > 0 && !takesDoubts && changes.length > sure.length ? ["--force also takes those with a doubt."] : [];
  return { text: [`Done: ${planSummary(done.value.changes)}.`, ...lines, ...more, ...end].join("\n") };
}

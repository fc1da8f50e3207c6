import { plural } from "../../../../base/text/text.ts";
import { bytes, checkpointLine, planLines, planSummary } from "../../../../contracts/knowledge/checkpoint-text.ts";
import type { RestorePlan } from "../../../../contracts/knowledge/checkpoint.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { confirm, numberOption, sessionOption } from "../../input.ts";
import { askLine } from "../../questions/ask-line.ts";
import { table } from "../../table.ts";

const options = [
  { flags: "-n, --limit <count>", summary: "maximum number of checkpoints to list; default: 20" },
  { flags: "--session <id>", summary: "only changes of this session: an id, its beginning, a title or latest" },
  { flags: "--diff", summary: "show the changes since the checkpoint; changes nothing" },
  { flags: "--plan", summary: "show what would be restored; changes nothing" },
  { flags: "-y, --yes", summary: "do not ask" },
  { flags: "--force", summary: "also restore files that somebody else has changed since the call" },
];

export const commands: readonly CliCommand[] = [
  {
    path: ["rollback"],
    summary: "Restore the files of this project to their state before a call",
    details:
      "Without an argument, lists the checkpoints of the project; 1 is the last one. A rollback undoes only what calls of Hermes changed: files that you created or changed yourself stay, unless you pass --force. Every rollback can be undone. Your git repository is not touched.",
    examples: ["hermes rollback", "hermes rollback 1", "hermes rollback 3 src/main.ts", "hermes rollback 2 --diff"],
    args: [
      { name: "checkpoint", summary: "number, id or name of the checkpoint", optional: true },
      { name: "path", summary: "only this file or folder", optional: true },
    ],
    options,
    async run(input, ctx) {
      const checkpoint = input.optionalArg("checkpoint");
      if (checkpoint === undefined) return list(input, ctx);
      const request = { checkpoint, path: input.optionalArg("path"), session: await sessionOption(input, ctx) };
      if (!input.flag("diff")) return restore(request, input, ctx);
      const { diff } = await ctx.run("checkpoints.diff", request);
      const lines = diff.split("\n").map(escapeInvisible).join("\n");
      return { data: { diff }, text: lines === "" ? "No files have changed since that checkpoint." : lines };
    },
  },
];

export const checkpointCommands: readonly CliCommand[] = [
  {
    path: ["checkpoints", "list"],
    summary: "List the checkpoints of this project, the last one first",
    options: options.slice(0, 2),
    run: list,
  },
  {
    path: ["checkpoints", "status"],
    summary: "Show the disk usage of checkpoints per project",
    async run(_input, ctx) {
      const status = await ctx.run("checkpoints.status", {});
      const { enabled, bytes: total, maxBytes, retentionDays, folder, roots } = status;
      const rows = roots.map(({ root, backend, checkpoints, bytes: size, newestAt }) => [
        bytes(size),
        String(checkpoints),
        newestAt === undefined ? "" : timeText(newestAt),
        escapeInvisible(backend === "local" ? root : `${backend}:${root}`),
      ]);
      const lines = [
        `Checkpoints are ${enabled ? "on" : "off"}: ${bytes(total)} of at most ${bytes(maxBytes)}, kept for ${plural(retentionDays, "day")}, in ${folder}`,
        ...(rows.length === 0 ? [] : ["", table([["size", "number", "last", "project"], ...rows], ctx.io.columns)]),
      ];
      return { data: status, text: lines.join("\n") };
    },
  },
  {
    path: ["checkpoints", "prune"],
    summary: "Remove old checkpoints now; the files of your projects stay unchanged",
    options: [{ flags: "--days <count>", summary: "minimum age in days; default: checkpoints.retention_days" }],
    async run(input, ctx) {
      const given = input.option("days");
      const days = given === undefined ? undefined : Number(given);
      if (days !== undefined && !(days >= 0)) throw new CommandFailed("--days needs a number.", undefined, 2);
      const removed = await ctx.run("checkpoints.prune", { days });
      return { data: removed, text: removedText(removed) };
    },
  },
  {
    path: ["checkpoints", "clear"],
    summary: "Remove all checkpoints of all projects; the files of your projects stay unchanged",
    options: [
      { flags: "-y, --yes", summary: "do not ask" },
      { flags: "-f, --force", summary: "the same as --yes" },
    ],
    async run(input, ctx) {
      const { roots, bytes: total } = await ctx.run("checkpoints.status", {});
      const count = roots.reduce((sum, { checkpoints }) => sum + checkpoints, 0);
      const question = `Remove ${plural(count, "checkpoint")} of ${plural(roots.length, "project")} (${bytes(total)})? A rollback to them is then impossible.`;
      if (count > 0 && !input.flag("force")) await confirm(input, ctx, question);
      const removed = await ctx.run("checkpoints.prune", { days: 0 });
      return { data: removed, text: removedText(removed) };
    },
  },
];

function removedText({ checkpoints, bytes: size }: { readonly checkpoints: number; readonly bytes: number }): string {
  return `Removed ${plural(checkpoints, "checkpoint")}, ${bytes(size)}.`;
}

async function list(input: CliInput, ctx: CliContext): Promise<Reply> {
  const query = { limit: numberOption(input, "limit"), session: await sessionOption(input, ctx) };
  const { root, checkpoints } = await ctx.run("checkpoints.list", query);
  const rows = checkpoints.map((each, index) => [
    ctx.paint.bold(String(index + 1)),
    each.id,
    timeText(each.takenAt),
    escapeInvisible(checkpointLine(each, 300)),
  ]);
  return {
    data: { root, checkpoints },
    text: rows.length === 0 ? `There are no checkpoints of ${root} yet.` : table(rows, ctx.io.columns),
  };
}

interface Wanted {
  readonly checkpoint: string;
  readonly path: string | undefined;
  readonly session: string | undefined;
}

async function restore(request: Wanted, input: CliInput, ctx: CliContext): Promise<Reply> {
  const plan = await ctx.run("checkpoints.plan", request);
  const { changes } = plan;
  const text = (shown: Pick<RestorePlan, "changes" | "left">) => planLines(shown, 200).map(escapeInvisible).join("\n");
  if (input.flag("plan") || changes.length === 0) {
    const head = changes.length === 0 ? "Nothing to restore." : `Dry run: ${planSummary(changes)}.`;
    const notes = plan.notes.map((note) => `  ${escapeInvisible(note)}`);
    return { data: plan, text: [head, text(plan), ...notes].join("\n").trim() };
  }
  let withDoubts = input.flag("force");
  const doubtful = changes.filter(({ doubt }) => doubt !== undefined).length;
  if (!input.flag("yes")) {
    const question = `${text(plan)}\n${planSummary(changes)}.`;
    if (!ctx.io.stdinIsTerminal)
      throw new CommandFailed(`${question} Nothing was changed.`, "Pass --yes to confirm.", 2);
    const choice = doubtful > 0 && !withDoubts ? ` (all: also the ${doubtful} marked with !)` : "";
    const typed = await askLine(ctx.io, `${question}\nType yes${choice}: `, ctx.signal);
    if (typed === "all") withDoubts = true;
    else if (typed !== "yes") return { data: { changed: false }, text: "Nothing was changed." };
  }
  const done = await ctx.run("checkpoints.restore", { ...request, checkpoint: plan.checkpoint, withDoubts });
  const lines = [
    `Done: ${planSummary(done.changes)}.`,
    text(done),
    ...(!withDoubts && doubtful > 0 ? ["--force also restores files that somebody else changed."] : []),
    ...(done.undo === undefined ? [] : [`hermes rollback ${done.undo} undoes this.`]),
  ];
  return { data: done, text: lines.filter((line) => line !== "").join("\n") };
}

function timeText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}

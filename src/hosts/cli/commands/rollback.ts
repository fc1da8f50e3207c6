import { bytes, checkpointLine, planLines, planSummary } from "../../../contracts/knowledge/checkpoint-text.ts";
import type { Checkpoint, Checkpoints, RestorePlan } from "../../../contracts/knowledge/checkpoint.ts";
import { visible } from "../ask-approval.ts";
import { askLine } from "../ask-line.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { table } from "../table.ts";

const options = [
  { flags: "-n, --limit <count>", summary: "how many are listed at most; 20 when left out" },
  { flags: "--session <id>", summary: "only what this session did" },
  { flags: "--diff", summary: "show what changed since, and change nothing" },
  { flags: "--plan", summary: "show what would be brought back, and change nothing" },
  { flags: "-y, --yes", summary: "do it without asking" },
  { flags: "--force", summary: "also what somebody else changed since" },
];

export const commands: readonly CliCommand[] = [
  {
    path: ["rollback"],
    summary: "Bring the files of this project back to where they were before a call",
    details:
      "Without an argument the checkpoints of the project are listed, the last one is 1. Only what calls of Hermes changed is undone: files that you made or changed yourself stay, unless you say --force. Every rollback can be taken back. Your git repository is not touched.",
    examples: ["hermes rollback", "hermes rollback 1", "hermes rollback 3 src/main.ts", "hermes rollback 2 --diff"],
    args: [
      { name: "checkpoint", summary: "its number, its id or its name", optional: true },
      { name: "path", summary: "only this file or folder", optional: true },
    ],
    options,
    run: rollback,
  },
];

export const checkpointCommands: readonly CliCommand[] = [
  {
    path: ["checkpoints", "list"],
    summary: "List the checkpoints of this project, the last one first",
    options: options.slice(0, 2),
    run: async (input, ctx) => withCheckpoints(input, ctx, (checkpoints) => list(checkpoints, input, ctx)),
  },
  {
    path: ["checkpoints", "status"],
    summary: "Show what checkpoints take of the disk, for each project",
    async run(_input, ctx) {
      const config = await ctx.config();
      const { checkpointStatus } = await import("../../../runtime/knowledge/keep-checkpoints.ts");
      const { enabled, bytes: total, maxBytes, retentionDays, folder, roots } = await checkpointStatus(config);
      const rows = roots.map(({ root, backend, checkpoints, bytes: size, newestAt }) => [
        bytes(size),
        String(checkpoints),
        newestAt === undefined ? "" : timeText(newestAt),
        visible(backend === "local" ? root : `${backend}:${root}`),
      ]);
      const lines = [
        `Checkpoints are ${enabled ? "on" : "off"}: ${bytes(total)} of at most ${bytes(maxBytes)}, kept for ${retentionDays} days, in ${folder}`,
        ...(rows.length === 0 ? [] : ["", table([["size", "number", "last", "project"], ...rows], ctx.io.columns)]),
      ];
      return {
        data: { enabled, bytes: total, maxBytes, retentionDays, folder, roots: roots.map((each) => ({ ...each })) },
        text: lines.join("\n"),
      };
    },
  },
  {
    path: ["checkpoints", "prune"],
    summary: "Remove old checkpoints now; the files of your projects stay as they are",
    options: [{ flags: "--days <count>", summary: "those older than that; checkpoints.retention_days when left out" }],
    async run(input, ctx) {
      const asked = input.option("days");
      const days = asked === undefined ? undefined : Number(asked);
      if (days !== undefined && !(days >= 0)) throw new CommandFailed("--days needs a number.", undefined, 2);
      const { pruneCheckpoints } = await import("../../../runtime/knowledge/keep-checkpoints.ts");
      const { checkpoints, bytes: size } = await pruneCheckpoints(await ctx.config(), days, ctx.signal);
      return { data: { checkpoints, bytes: size }, text: `Removed ${checkpoints} checkpoints, ${bytes(size)}.` };
    },
  },
];

async function rollback(input: CliInput, ctx: CliContext): Promise<Reply> {
  return withCheckpoints(input, ctx, async (checkpoints) => {
    const sought = input.optionalArg("checkpoint");
    if (sought === undefined) return list(checkpoints, input, ctx);
    const found = await checkpoints.find(sought, ctx.signal);
    if (!found.ok) throw new CommandFailed(found.error.message, "hermes rollback lists them.");
    const path = input.optionalArg("path");
    if (input.flag("diff")) {
      const diff = await checkpoints.diff(found.value.id, path, ctx.signal);
      if (!diff.ok) throw new CommandFailed(diff.error.message);
      const lines = diff.value.split("\n").map(visible).join("\n");
      return { data: { diff: diff.value }, text: lines === "" ? "Nothing has changed since." : lines };
    }
    return restore(found.value, path, checkpoints, input, ctx);
  });
}

async function list(checkpoints: Checkpoints, input: CliInput, ctx: CliContext): Promise<Reply> {
  const limit = Number(input.option("limit") ?? 20);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new CommandFailed("--limit needs a whole number.", undefined, 2);
  const found = await checkpoints.list(limit, ctx.signal);
  if (!found.ok) throw new CommandFailed(found.error.message);
  const root = await checkpoints.root(ctx.signal);
  const rows = found.value.map((each, at) => [
    ctx.paint.bold(String(at + 1)),
    each.id,
    timeText(each.takenAt),
    visible(checkpointLine(each, 300)),
  ]);
  return {
    data: { root, checkpoints: found.value.map((each) => ({ ...each, notes: [...each.notes] })) },
    text: rows.length === 0 ? `There is no checkpoint of ${root} yet.` : table(rows, ctx.io.columns),
  };
}

async function restore(
  checkpoint: Checkpoint,
  path: string | undefined,
  checkpoints: Checkpoints,
  input: CliInput,
  ctx: CliContext,
): Promise<Reply> {
  const only = path === undefined ? {} : { path };
  const plan = await checkpoints.plan(checkpoint.id, only, ctx.signal);
  if (!plan.ok) throw new CommandFailed(plan.error.message);
  const { changes } = plan.value;
  const text = (shown: Pick<RestorePlan, "changes" | "left">) => planLines(shown, 200).map(visible).join("\n");
  if (input.flag("plan") || changes.length === 0) {
    const head = changes.length === 0 ? "Nothing has to be changed." : `Would do: ${planSummary(changes)}.`;
    const notes = plan.value.checkpoint.notes.map((note) => `  ${visible(note)}`);
    return { data: planData(plan.value), text: [head, text(plan.value), ...notes].join("\n").trim() };
  }
  let withDoubts = input.flag("force");
  const doubtful = changes.filter(({ doubt }) => doubt !== undefined).length;
  if (!input.flag("yes")) {
    const question = `${text(plan.value)}\n${planSummary(changes)}.`;
    if (!ctx.io.stdinIsTerminal) throw new CommandFailed(`${question} Nothing was changed.`, "Add --yes to do it.");
    const choice = doubtful > 0 && !withDoubts ? ` (all: also the ${doubtful} marked with !)` : "";
    const typed = await askLine(ctx.io, `${question}\nType yes${choice}: `, ctx.signal);
    if (typed === "all") withDoubts = true;
    else if (typed !== "yes") return { data: { changed: false }, text: "Nothing was changed." };
  }
  const done = await checkpoints.restore(checkpoint.id, { ...only, withDoubts }, ctx.signal);
  if (!done.ok) throw new CommandFailed(done.error.message);
  const { undo, left } = done.value;
  const more = !withDoubts && doubtful > 0 ? ["--force also takes those that somebody else changed."] : [];
  const lines = [
    `Done: ${planSummary(done.value.changes)}.`,
    text({ changes: done.value.changes, left }),
    ...more,
    ...(undo ? [`hermes rollback ${undo.id} takes this back.`] : []),
  ];
  return {
    data: { ...planData(done.value), ...(undo && { undo: undo.id }) },
    text: lines.filter((line) => line !== "").join("\n"),
  };
}

function planData({ checkpoint, root, changes, left }: RestorePlan) {
  return {
    checkpoint: checkpoint.id,
    notes: [...checkpoint.notes],
    root,
    changes: changes.map((each) => ({ ...each })),
    left: left.map((each) => ({ ...each })),
  };
}

async function withCheckpoints(
  input: CliInput,
  ctx: CliContext,
  work: (checkpoints: Checkpoints) => Promise<Reply>,
): Promise<Reply> {
  const { openProjectCheckpoints } = await import("../../../runtime/knowledge/keep-checkpoints.ts");
  const session = input.option("session");
  await using opened = openProjectCheckpoints(await ctx.config(), ctx.cwd, session, (text) => ctx.io.warn(`${text}\n`));
  if (!opened.checkpoints)
    throw new CommandFailed("Checkpoints are off.", "hermes config set checkpoints.enabled true turns them on.");
  return await work(opened.checkpoints);
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

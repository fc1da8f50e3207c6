import { z } from "zod";

import type { JsonValue } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";
import type { Checkpoint, Checkpoints, Restored } from "../../contracts/knowledge/checkpoint.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json, text, type ToolResult } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "checkpoint",
  toolset: "checkpoint",
  description:
    "Undo file changes. A checkpoint is recorded before every call that changes files. list: checkpoints of this session, " +
    "1 is the newest. diff: changes since a checkpoint. restore: undo the changes since a checkpoint, or of one path; " +
    "returns a checkpoint that undoes the restore. create: a named checkpoint. With go_back, restore also rewinds the " +
    "conversation to where the named checkpoint was created; describe in lesson what you learned.",
  emoji: "⏪",
  input: z.object({
    action: z.enum(["list", "diff", "restore", "create"]),
    checkpoint: z.string().min(1).max(200).optional().describe("For diff and restore: number, id or name"),
    path: z.string().min(1).max(4_096).optional().describe("For diff and restore: only this file or folder"),
    name: z
      .string()
      .regex(/^[\w.-]{1,60}$/u)
      .optional()
      .describe("For create: letters, digits, . _ -"),
    go_back: z.boolean().default(false),
    lesson: z.string().max(4_000).optional(),
  }),
  needs: ["checkpoints"],
  effects: ({ action }, input) => (action === "restore" ? [{ kind: "write", path: input.workspace ?? input.cwd }] : []),
  async run(args, { checkpoints, signal }) {
    switch (args.action) {
      case "list":
        return list(checkpoints, signal);
      case "create": {
        const outcome = await checkpoints.mark(args.name, signal);
        if (!outcome.ok) return fail(outcome.error.message);
        checkpoints.conversation?.mark(outcome.value);
        return json({
          created: outcome.value.id,
          ...(args.name !== undefined && { name: args.name }),
          notes: [...outcome.value.notes],
        });
      }
      default:
        return withOne(args, checkpoints, signal);
    }
  },
});

interface Args {
  readonly action: string;
  readonly checkpoint?: string | undefined;
  readonly path?: string | undefined;
  readonly go_back: boolean;
  readonly lesson?: string | undefined;
}

async function list(checkpoints: Checkpoints, signal: AbortSignal): Promise<ToolResult> {
  const match = await checkpoints.list(listed, signal);
  if (!match.ok) return fail(match.error.message);
  return json({ checkpoints: match.value.map((each, index) => ({ number: index + 1, ...dataOf(each) })) });
}

const listed = 30;

async function withOne(args: Args, checkpoints: Checkpoints, signal: AbortSignal): Promise<ToolResult> {
  const { action, checkpoint, path, go_back: goesBack, lesson = "" } = args;
  if (checkpoint === undefined) return fail(`checkpoint: ${action} needs one; action list shows them`, "invalid_args");
  const match = await checkpoints.find(checkpoint, signal);
  if (!match.ok) return fail(match.error.message);
  if (action === "diff") {
    const diff = await checkpoints.diff(match.value.id, path, signal);
    return diff.ok ? text(diff.value || "Nothing has changed since.") : fail(diff.error.message);
  }
  if (!goesBack) return restore(match.value, path, checkpoints, signal);
  const { conversation } = checkpoints;
  if (!conversation) return fail("There is no conversation to rewind. Omit go_back.");
  if (lesson.trim() === "")
    return fail("lesson: describe what you learned, so that you do not repeat it", "invalid_args");
  const branch = `after-${match.value.name ?? match.value.id}`;
  const note = `You have gone back to the checkpoint ${match.value.name ?? match.value.id}; the files have the state of that checkpoint. What you learned on the abandoned branch: ${lesson}`;
  const way = await conversation.goBack(match.value, { branch, note });
  if (!way.ok) return fail(way.error.message);
  const done = await restore(match.value, path, checkpoints, signal);
  if (done.ok) way.value.go();
  return done;
}

async function restore(
  checkpoint: Checkpoint,
  path: string | undefined,
  checkpoints: Checkpoints,
  signal: AbortSignal,
): Promise<ToolResult> {
  const done = await checkpoints.restore(checkpoint.id, path === undefined ? {} : { path }, signal);
  return done.ok ? json(restoredData(done.value)) : fail(done.error.message, "failed", { effect: "unknown" });
}

function restoredData({ changes, left, undo }: Restored): JsonValue {
  return {
    restored: changes.slice(0, shown).map(({ path, how }) => ({ path, how })),
    ...(changes.length > shown && { more: changes.length - shown }),
    ...(left.length > 0 && {
      left: left.slice(0, shown).map(({ path, why }) => ({ path, why })),
      hint: "Only the user can overwrite changes made by others: /rollback asks.",
    }),
    ...(undo && { undo: undo.id }),
  };
}

const shown = 100;

function dataOf({ id, kind, takenAt, tool, label, name, changed, isOpen }: Checkpoint): Record<string, JsonValue> {
  return {
    id,
    kind,
    at: new Date(takenAt).toISOString(),
    ...(tool !== undefined && { tool }),
    ...(name !== undefined && { name }),
    before: oneLine(label, 120),
    changed,
    ...(isOpen && { running: true }),
  };
}

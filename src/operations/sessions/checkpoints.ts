import { err, ok, type Result } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { flag, integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import type { Checkpoint, Checkpoints, RestorePlan } from "../../contracts/knowledge/checkpoint.ts";
import { readOperation, writeOperation, type OperationServices } from "../operation.ts";

const session = optional(string("only changes of this session; default: the caller's session, else all"));
const checkpoint = string("number (1 is the last), id or name of the checkpoint");
const path = optional(string("only this file or folder"));

export const operations = {
  list: readOperation({
    summary: "List the checkpoints of the project's files, the last one first",
    input: object({ limit: optional(integer("maximum number of checkpoints; default: 20", { minimum: 1 })), session }),
    needs: ["checkpoints"],
    async run({ limit = 20, session: id }, { checkpoints }, { signal }) {
      const open = await openOf(checkpoints, id);
      if (!open.ok) return open;
      const listed = await open.value.list(limit, signal);
      return listed.ok ? ok({ root: await open.value.root(signal), checkpoints: listed.value }) : listed;
    },
  }),

  diff: readOperation({
    summary: "Show how files changed since a checkpoint",
    input: object({ checkpoint, path, session }),
    needs: ["checkpoints"],
    async run({ checkpoint: name, path: only, session: id }, { checkpoints }, { signal }) {
      const match = await find(checkpoints, name, id, signal);
      if (!match.ok) return match;
      const diff = await match.value.open.diff(match.value.checkpoint.id, only, signal);
      return diff.ok ? ok({ diff: diff.value }) : diff;
    },
  }),

  plan: readOperation({
    summary: "Show what a restore would change; changes nothing",
    input: object({ checkpoint, path, session }),
    needs: ["checkpoints"],
    async run({ checkpoint: name, path: only, session: id }, { checkpoints }, { signal }) {
      const match = await find(checkpoints, name, id, signal);
      if (!match.ok) return match;
      const plan = await match.value.open.plan(match.value.checkpoint.id, withoutUndefined({ path: only }), signal);
      return plan.ok ? ok(planData(plan.value)) : plan;
    },
  }),

  restore: writeOperation({
    summary: "Restore files to a checkpoint; a restore can be undone",
    input: object({
      checkpoint,
      path,
      withDoubts: optional(flag("also restore files that somebody else has changed since the call")),
      session,
    }),
    needs: ["checkpoints"],
    async run({ checkpoint: name, path: only, withDoubts = false, session: id }, { checkpoints }, { signal }) {
      const match = await find(checkpoints, name, id, signal);
      if (!match.ok) return match;
      const options = { ...withoutUndefined({ path: only }), withDoubts };
      const done = await match.value.open.restore(match.value.checkpoint.id, options, signal);
      if (!done.ok) return done;
      return ok({ ...planData(done.value), ...withoutUndefined({ undo: done.value.undo?.id }) });
    },
  }),

  status: readOperation({
    summary: "Show the disk usage of checkpoints per project",
    needs: ["checkpoints"],
    run: async (_input, { checkpoints }) => ok(await checkpoints.status()),
  }),

  prune: writeOperation({
    summary: "Remove old checkpoints now; the files of your projects stay unchanged",
    input: object({
      days: optional(integer("minimum age in days; default: checkpoints.retention_days", { minimum: 0 })),
    }),
    needs: ["checkpoints"],
    run: async ({ days }, { checkpoints }, { signal }) => ok(await checkpoints.prune(days, signal)),
  }),
};

async function openOf(
  checkpoints: OperationServices["checkpoints"],
  id: string | undefined,
): Promise<Result<Checkpoints, OperationFault>> {
  const { checkpoints: open } = await checkpoints.open(id);
  if (open) return ok(open);
  return err({
    message: "Checkpoints are off; `hermes config set checkpoints.enabled true` turns them on.",
  });
}

async function find(
  checkpoints: OperationServices["checkpoints"],
  name: string,
  id: string | undefined,
  signal: AbortSignal,
): Promise<Result<{ readonly open: Checkpoints; readonly checkpoint: Checkpoint }, OperationFault>> {
  const open = await openOf(checkpoints, id);
  if (!open.ok) return open;
  const match = await open.value.find(name, signal);
  if (!match.ok) return err({ message: match.error.message, hint: "hermes rollback lists them." });
  return ok({ open: open.value, checkpoint: match.value });
}

function planData({ checkpoint: { id, notes }, root, changes, left }: RestorePlan) {
  return { checkpoint: id, notes, root, changes, left };
}

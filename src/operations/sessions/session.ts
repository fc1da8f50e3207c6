import { err, ok } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import { flag, integer, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import { textOf } from "../../contracts/session/turn-companion.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { callOperations } from "./call-operations.ts";
import { gitBranch } from "./git-branch.ts";
import { messageOperations } from "./session-messages.ts";
import { tuningOperations } from "./session-tuning.ts";

const keepExchanges = optional(
  integer("number of last exchanges that stay unchanged; default: from the settings", { minimum: 0 }),
);

const place = integer("the position in the queue, starting at 1", { minimum: 1 });
const was = optional(
  string("the prompt that is expected at this position; if another prompt is there, nothing changes"),
);

const modes = ["manual", "smart", "yolo"] as const;

/** The live session of the caller. */
export const operations = {
  ...messageOperations,
  ...tuningOperations,

  status: readOperation({
    summary: "Show this session: id, model, context, cost, approvals, queue",
    needs: ["session", "config"],
    async run(_input, { session, config }, { signal, clock, principal }) {
      const { cwd, backend } = session.place();
      const [branch, record, usage, pending, processes] = await Promise.all([
        backend === "local" ? gitBranch(cwd) : undefined,
        session.record(),
        session.usage(),
        session.approvals.pending(),
        processRows(session, clock.now(), signal),
      ]);
      return ok({
        id: session.id,
        principal: principal.id,
        ...withoutUndefined({ title: record.title, heldBy: session.heldBy, cwd, branch }),
        backend,
        isolation: backend === "local" ? config.values.isolation.mode : "off",
        model: session.model(),
        context: session.context(),
        messages: record.messages,
        isEmpty: session.history().length === 0,
        isBusy: session.turn !== undefined,
        calls: usage.sessionCalls,
        costUsd: usage.session.costUsd,
        approvalMode: session.approvals.mode(),
        grants: session.approvals.grants(),
        // The mode of the session is shown separately.
        weakSettings: weakSettings({ ...config.values, approvals: { ...config.values.approvals, mode: "manual" } }),
        pending: pending.map(({ id, text: question }) => ({ id, text: question })),
        queued: session.queued.length,
        heldPrompts: session.heldPrompts,
        processes: processes.filter(({ isRunning }) => isRunning).length,
      });
    },
  }),

  context: readOperation({
    summary: "Show how full the context window is, and what a compaction keeps",
    needs: ["session"],
    run: async (_input, { session }) => ok({ ...session.context(), files: session.files(), todos: session.todos() }),
  }),

  useModel: writeOperation({
    summary: "Switch the model of this session, starting with the next request",
    input: object({
      model: string("provider/model, a model, or an alias"),
      forOneTurn: optional(flag("for the next turn only")),
    }),
    needs: ["session"],
    run: ({ model, forOneTurn = false }, { session }) => session.useModel(model, forOneTurn),
  }),

  ...callOperations,

  rename: writeOperation({
    summary: "Rename this session",
    input: object({ title: string("at most 100 characters") }),
    needs: ["session"],
    async run({ title }, { session }) {
      const renamed = await session.setTitle(title);
      return renamed.ok ? ok({ title: renamed.value }) : renamed;
    },
  }),

  compress: writeOperation({
    summary: "Compact the context now; the store keeps the originals",
    input: object({ focus: optional(string("what to keep in more detail")), keepExchanges }),
    needs: ["session"],
    run: ({ focus, keepExchanges: kept }, { session }, { signal }) => session.compress(focus, signal, kept),
  }),

  previewCompress: readOperation({
    summary: "Show what a compaction would replace, without a model request",
    input: object({ keepExchanges }),
    needs: ["session"],
    run: async ({ keepExchanges: kept }, { session }) => session.previewCompress(kept),
  }),

  undo: writeOperation({
    summary:
      "Undo the last exchanges; files stay unchanged. Returns the first undone prompt and the checkpoint from before",
    input: object({ turns: optional(integer("how many exchanges; default: 1", { minimum: 1 })) }),
    needs: ["session"],
    async run({ turns = 1 }, { session }) {
      if (session.history().length === 0) return err({ message: "This session is empty." });
      return session.undo(turns);
    },
  }),

  aside: readOperation({
    summary: "Answer a question about the conversation, without tools; it does not become part of the history",
    input: object({ question: string("the question") }),
    needs: ["session"],
    async run({ question }, { session }, { signal }) {
      const answer = await session.aside(question, signal);
      return answer.ok ? ok({ answer: answer.value }) : answer;
    },
  }),

  changes: readOperation({
    summary: "Show the file changes since the first change by this session",
    needs: ["session"],
    async run(_input, { session }, { signal }) {
      const { checkpoints } = session;
      if (!checkpoints) return err({ message: "Checkpoints are off, so the changes of this session are not known." });
      const listed = await checkpoints.list(10_000, signal);
      if (!listed.ok) return listed;
      const first = listed.value.findLast(({ sessionId }) => sessionId === session.id);
      if (!first) return ok({ diff: "", isUntouched: true });
      const diff = await checkpoints.diff(first.id, undefined, signal);
      return diff.ok ? ok({ diff: diff.value, isUntouched: false }) : diff;
    },
  }),

  tree: readOperation({
    summary: "Read the branches of this session",
    needs: ["session"],
    run: async (_input, { session }) => ok(await session.tree()),
  }),

  branch: writeOperation({
    summary: "Start a branch here, or after an earlier exchange",
    input: object({
      from: optional(string("the number of an exchange, or an entry")),
      name: optional(string("the name of the branch")),
    }),
    needs: ["session"],
    run: (wish, { session }, { signal }) => session.branch(withoutUndefined(wish), signal),
  }),

  switchTo: writeOperation({
    summary: "Continue on another branch; files stay unchanged",
    input: object({ branch: string("name of the branch, or the number of an exchange that only this branch has") }),
    needs: ["session"],
    run: ({ branch }, { session }, { signal }) => session.switchTo(branch, signal),
  }),

  steer: writeOperation({
    summary: "Send text to the running turn without stopping it, or start a turn",
    input: object({ text: string("the text") }),
    needs: ["session"],
    async run({ text: words }, { session }) {
      const isBusy = session.turn !== undefined;
      session.steer(promptOf(words));
      return ok({ isBusy });
    },
  }),

  queue: writeOperation({
    summary: "Queue a prompt after the running turn; without text, list the queue",
    input: object({ text: optional(string("the prompt")) }),
    needs: ["session"],
    async run({ text: prompt }, { session }) {
      const isBusy = session.turn !== undefined;
      if (prompt !== undefined) session.queue(promptOf(prompt));
      const held = session.queued.map((_, place) => session.isHeld(place));
      return ok({ isBusy, queued: session.queued, held, heldPrompts: session.heldPrompts });
    },
  }),

  sendHeld: writeOperation({
    summary: "Send the held prompts of the queue, one after another",
    needs: ["session"],
    async run(_input, { session }) {
      const sent = session.heldPrompts;
      session.sendHeld();
      return ok({ sent });
    },
  }),

  clearQueue: writeOperation({
    summary: "Remove all prompts from the queue",
    needs: ["session"],
    async run(_input, { session }) {
      const removed = session.queued.length;
      session.clearQueue();
      return ok({ removed });
    },
  }),

  editQueued: writeOperation({
    summary: "Replace a prompt in the queue",
    input: object({ place, text: string("the new prompt"), was }),
    needs: ["session"],
    async run({ place: position, text: prompt, was: expected }, { session }) {
      const fault = queueFault(session, position, expected);
      if (fault) return err(fault);
      session.editQueue.replace(position - 1, promptOf(prompt));
      return ok({ queued: session.queued });
    },
  }),

  removeQueued: writeOperation({
    summary: "Remove a prompt from the queue",
    input: object({ place, was }),
    needs: ["session"],
    async run({ place: position, was: expected }, { session }) {
      const fault = queueFault(session, position, expected);
      if (fault) return err(fault);
      const removed = session.queued[position - 1] ?? [];
      session.editQueue.remove(position - 1);
      return ok({ removed, queued: session.queued });
    },
  }),

  moveQueued: writeOperation({
    summary: "Move a prompt to another position in the queue",
    input: object({ place, to: integer("its new position, starting at 1", { minimum: 1 }), was }),
    needs: ["session"],
    async run({ place: position, to, was: expected }, { session }) {
      const fault = queueFault(session, position, expected) ?? queueFault(session, to);
      if (fault) return err(fault);
      session.editQueue.move(position - 1, to - 1);
      return ok({ queued: session.queued });
    },
  }),

  processes: readOperation({
    summary: "List the background processes of this session",
    needs: ["session"],
    run: async (_input, { session }, { signal, clock }) =>
      ok({ processes: await processRows(session, clock.now(), signal) }),
  }),

  stopProcesses: writeOperation({
    summary: "End the background processes of this session",
    needs: ["session"],
    run: async (_input, { session }, { signal }) => ok({ ended: await session.stopProcesses(signal) }),
  }),

  setApprovalMode: writeOperation({
    summary: "Set how this session asks before dangerous calls",
    input: object({ mode: oneOf("yolo turns approvals off; hard blocks and deny rules still apply", modes) }),
    needs: ["session"],
    async run({ mode }, { session }) {
      session.approvals.setMode(mode);
      return ok({ mode });
    },
  }),

  revokeGrants: writeOperation({
    summary: "End the approvals that were given for this whole session",
    needs: ["session"],
    async run(_input, { session }) {
      const revoked = session.approvals.grants();
      session.approvals.revokeGrants();
      return ok({ revoked });
    },
  }),

  answer: writeOperation({
    summary: "Answer a pending approval of this session",
    input: object({
      scope: oneOf("scope of the answer", ["once", "session", "always", "deny"]),
      id: optional(string("the question; default: the oldest")),
      reason: optional(string("with deny: the model reads it")),
      by: string("source of the answer, for the log"),
    }),
    needs: ["session"],
    async run({ scope, id, reason, by }, { session: { approvals } }) {
      const requested = id ?? (await approvals.pending())[0]?.id;
      if (requested === undefined) return err({ message: "No approval is pending." });
      const answered = await approvals.answer(requested, { scope, ...withoutUndefined({ reason }) }, by);
      return answered.ok ? ok({ id: requested, text: answered.value.text }) : answered;
    },
  }),
};

/** The reason why the prompt at this position cannot be changed: the queue may have changed since the user saw it. */
function queueFault(
  { queued }: Session,
  position: number,
  expected?: string,
): { readonly message: string } | undefined {
  const content = queued[position - 1];
  if (!content) {
    const size = queued.length === 0 ? "The queue is empty." : `The queue has ${plural(queued.length, "prompt")}.`;
    return { message: `There is no prompt ${position}. ${size}` };
  }
  if (expected === undefined || textOf(content) === expected) return undefined;
  return { message: `Another prompt is now at position ${position}. Nothing was changed.` };
}

async function processRows(session: Session, now: number, signal: AbortSignal) {
  const handles = await session.processes(signal);
  return Promise.all(
    handles.map(async (handle) => {
      const { id, command, cwd, pid, startedAt, owner } = handle;
      const ending = await handle.ending(signal);
      return {
        ...withoutUndefined({ id, command, cwd, pid, exitCode: ending?.exitCode, how: ending?.how }),
        isRunning: ending === undefined,
        isKept: owner.isKept,
        ranMs: (ending?.endedAt ?? now) - startedAt,
      };
    }),
  );
}

function promptOf(words: string): readonly ContentPart[] {
  return [{ type: "text", text: words }];
}

import { once } from "../../base/async/once.ts";
import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import type { BookedUsage } from "../../contracts/session/session.ts";
import { userParts } from "../../contracts/session/turn-companion.ts";
import { startOfDay } from "../../kernel/loop/spend-guard.ts";
import { freeTitle } from "../../sessions/session-title.ts";
import type { ConversationStages } from "./conversation-stages.ts";
import type { RunningConversation } from "./run-conversation.ts";
import type { OpenedSessionBackground } from "./services/open-background.ts";
import type { SessionDeps } from "./session-deps.ts";

/** Last stage: the session for hosts. `closing` is aborted first when it closes. */
export function sessionFacade(
  stages: ConversationStages,
  running: RunningConversation & { readonly background: OpenedSessionBackground },
  children: ReadonlySet<Session>,
  closing: AbortController,
  deps: SessionDeps,
): Session {
  const { opened, bench, approvals, tap, planMode, companions, requests } = stages;
  const { record, principal, catalog, model, lease, heldBy, log, files } = opened;
  const { conversation, hub, head, context, plan, usage, agents, goals, background, mail } = running;
  const { sessions: store, hooks, clock } = deps;
  const { workbench } = bench;
  const { id } = record;
  const never = new AbortController().signal;
  let isCompacting = false;

  const own = (content: readonly ContentPart[]) => userParts(content, companions);
  const readOnly = lease ? undefined : `${heldBy ?? "another process"} writes to this session; it is read-only here`;
  /** The reason why the head must not move now. Undefined: it may move. */
  function refusal(): string | undefined {
    if (readOnly !== undefined) return readOnly;
    if (isCompacting) return "the context is being compacted; wait until that is done";
    return conversation.turn && "a turn is running; stop it first";
  }

  return {
    id,
    ...(heldBy !== undefined && { heldBy }),
    catalog,
    agents: agents.tree,
    code: workbench.code,
    approvals: approvals.desk,
    goals: goals.session,
    planning: planMode,
    background,
    ...(opened.options.tools && { selection: opened.options.tools }),
    async aside(question, signal) {
      const { askSideQuestion } = await import("../../sessions/side-question.ts");
      const { request, refusal: overBudget } = requests;
      const book = async (used: BookedUsage) => void (await log.append([{ type: "usage", ...used }]));
      const answering = {
        history: log.history.messages,
        request,
        model: model.beside ?? model,
        refusal: overBudget,
        book: lease ? book : async () => {},
      };
      const answer = await askSideQuestion(question, answering, AbortSignal.any([closing.signal, signal]));
      if (!conversation.turn) usage.addAuxiliary(log.takeAuxiliary());
      return answer;
    },
    get turn() {
      return conversation.turn;
    },
    prompt: conversation.prompt,
    steer: conversation.steer,
    queue: conversation.queue,
    get queued() {
      return conversation.queued;
    },
    get heldPrompts() {
      return conversation.heldPrompts;
    },
    isHeld: conversation.isHeld,
    stop: conversation.stop,
    sendHeld: conversation.sendHeld,
    clearQueue: conversation.clearQueue,
    editQueue: conversation.editQueue,
    redirect: conversation.redirect,
    events: (fromSeq) => hub.read(fromSeq ?? hub.next),
    history: () => log.history.messages,
    model: () => model.facts(),
    async useModel(name, forOneTurn = false) {
      const before = model.facts();
      const next = await deps.parts.models.open(name);
      if (!next.ok) return next;
      model.change(next.value, forOneTurn);
      tap.note({ type: "model", name, facts: model.facts(), ...(forOneTurn && { before }) });
      return ok(model.facts());
    },
    tuning: requests.tuning.current,
    tune: requests.tuning.change,
    context: context.use,
    async compress(focus, signal = never, keepExchanges) {
      tap.note({ type: "compress", ...withoutUndefined({ focus, keepExchanges }) });
      if (readOnly !== undefined) return err({ message: readOnly });
      if (conversation.turn) return err({ message: "a turn is running; stop it first" });
      await head.settled();
      isCompacting = true;
      const compacted = await context
        .shorten("asked", focus, AbortSignal.any([closing.signal, signal]), keepExchanges)
        .finally(() => (isCompacting = false));
      usage.addAuxiliary(log.takeAuxiliary());
      return compacted.ok ? compacted : err({ message: compacted.error });
    },
    previewCompress(keepExchanges) {
      const preview = context.preview(keepExchanges);
      return preview.ok ? preview : err({ message: preview.error });
    },
    async undo(turns) {
      const why = refusal();
      const undone = why === undefined ? await head.undo(turns) : err({ message: why });
      if (!undone.ok) return undone;
      tap.note({ type: "undo", turns });
      return ok({ ...undone.value, prompt: own(undone.value.prompt) });
    },
    async branch(where, signal) {
      const why = refusal();
      const moved = why === undefined ? await head.branch(where, signal) : err({ message: why });
      return moved.ok && moved.value.prompt ? ok({ ...moved.value, prompt: own(moved.value.prompt) }) : moved;
    },
    async switchTo(branch, signal) {
      const why = refusal();
      return why === undefined ? head.switchTo(branch, signal) : err({ message: why });
    },
    tree: head.tree,
    async setTitle(text) {
      if (readOnly !== undefined) return err({ message: readOnly });
      const title = await freeTitle(text, { id, principal }, store);
      if (title.ok) await log.append([{ type: "titled", title: title.value, by: "user" }]);
      return title;
    },
    async usage() {
      const day = await store.spent({ who: principal, since: startOfDay(clock.now()) });
      return { ...usage.total(), day };
    },
    todos: () => plan.todos().read(),
    files: files.list,
    ...(workbench.checkpoints && { checkpoints: workbench.checkpoints }),
    record: async () => (await store.get(id, principal)) ?? record,
    place: () => workbench.workplace.commands.place,
    async processes(signal) {
      const listed = await workbench.processes.list(signal);
      return listed.ok ? listed.value.filter(({ owner }) => owner.session === id) : [];
    },
    async stopProcesses(signal) {
      const ended = await workbench.processes.endOwn(signal, opened.parent && id);
      return ended.filter(({ fault }) => !fault).length;
    },
    [Symbol.asyncDispose]: once(async () => {
      closing.abort("the session is closed");
      mail[Symbol.dispose]();
      await goals[Symbol.asyncDispose]();
      await agents[Symbol.asyncDispose]();
      await background[Symbol.asyncDispose]();
      await Promise.all(Array.from(children, (child) => child[Symbol.asyncDispose]()));
      await conversation[Symbol.asyncDispose]();
      await Promise.all(companions.map(async (each) => each.close?.()));
      approvals[Symbol.dispose]();
      await workbench[Symbol.asyncDispose]();
      await hooks.notify("sessionEnd", { sessionId: id, reason: "closed" }, never);
      await tap[Symbol.asyncDispose]();
      await log.close();
      await lease?.[Symbol.asyncDispose]();
    }),
  };
}

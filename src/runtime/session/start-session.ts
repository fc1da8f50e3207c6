import type { ChildOpening } from "../../agents/agent-ports.ts";
import { oneLine } from "../../base/text/text.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import { noUsage } from "../../contracts/model/model.ts";
import type { Session, SessionOptions } from "../../contracts/session/runtime.ts";
import { sessionHooks } from "../../kernel/hook-bus.ts";
import { createSpendGuard, type FamilyTurn, limitedSpend } from "../../kernel/loop/spend-guard.ts";
import { adoptProcesses } from "../../kernel/processes/adopt-processes.ts";
import { storedQueue } from "../../kernel/session/session-state.ts";
import { openCompanions } from "./companions.ts";
import { composePrompt } from "./compose-prompt.ts";
import type { ConversationStages } from "./conversation-stages.ts";
import { runConversation, type RunningConversation, settleOpenCalls } from "./run-conversation.ts";
import { openApprovals } from "./services/open-approvals.ts";
import { openBackground, type OpenedSessionBackground } from "./services/open-background.ts";
import { openKnowledge } from "./services/open-knowledge.ts";
import { openPlanMode } from "./services/open-plan-mode.ts";
import { openRecord, type OpenedRecord } from "./services/open-record.ts";
import { openTap } from "./services/open-tap.ts";
import type { ParentSession, SessionDeps } from "./session-deps.ts";
import { sessionFacade } from "./session-facade.ts";
import { sessionRequests } from "./session-requests.ts";
import { openSessionWorkbench } from "./session-workbench.ts";
import { spendCaps } from "./spend-caps.ts";

/** Opens a new session or resumes one, stage by stage. Rejects with a message that a person can act on. */
export async function startSession(
  options: SessionOptions,
  runtime: SessionDeps,
  child?: ChildOpening,
): Promise<Session> {
  await using opening = new AsyncDisposableStack();
  const opened = await openRecord(options, runtime, child);
  const deps = { ...runtime, hooks: hooksOf(opened, runtime) };
  opening.use(opened.lease);
  const { record, principal, parent } = opened;
  const bench = openSessionWorkbench(opened, deps);
  opening.use(bench.workbench);
  const knowledge = openKnowledge(opened, bench, deps);
  const budgetOf = parent?.budgetOf ?? record.id;
  const turn: FamilyTurn = parent?.turn ?? {};
  const spend = limitedSpend(
    createSpendGuard(
      spendCaps(deps.config),
      { sessionId: budgetOf, principal, turn },
      { store: deps.sessions, clock: deps.clock },
    ),
    child?.refusal,
  );
  const sessionModel = await deps.parts.openSessionModel({
    model: opened.model,
    catalog: opened.catalog,
    workbench: bench.workbench,
    log: opened.log,
    redactor: deps.redactor,
    hooks: deps.hooks,
    sessionId: record.id,
    memory: knowledge.memory,
    skills: bench.skills,
    learner: knowledge.learner,
    ignoreRules: options.ignoreRules ?? false,
    ...(child && { identity: child.plan.identity }),
    refusal: () => spend.refusal(noUsage),
    say: deps.say,
    signal: deps.signal,
  });
  const prompt = await composePrompt(opened, bench, sessionModel, deps);
  const requests = sessionRequests(opened, prompt, sessionModel, spend, deps);
  const approvals = opening.use(openApprovals(opened, sessionModel, deps));
  const tap = opening.use(await openTap(opened, requests, deps));
  const planMode = openPlanMode(opened, approvals, deps);
  const others = openCompanions({ opened, bench, knowledge, sessionModel, requests }, deps);
  const companions = [...others, planMode.companion];
  const stages = { opened, bench, knowledge, sessionModel, requests, approvals, tap, planMode, companions };
  const running = runConversation(stages, deps, (plan) =>
    startSession(plan.options, { ...runtime, say: plan.say }, plan.opening),
  );
  if (!parent) running.onTurn((startedAt) => void (turn.startedAt = startedAt));
  for (const source of child?.readTexts ?? []) running.plan.taint().record(source);
  for (const name of prompt.suspects) running.plan.taint().record({ kind: "suspect", name });
  const children = new Set<Session>();
  const closing = new AbortController();
  const background = openBackground(
    opened,
    {
      cwd: () => bench.workbench.workplace.commands.place.cwd,
      emit: running.hub.emit,
      open: (wish) => startSession(wish, runtime),
    },
    deps,
  );
  const session = sessionFacade(stages, { ...running, background }, children, closing, deps);
  const { workplace, browser } = bench.workbench;
  const shared = { id: record.id, principal, workplace, browser, approvals: approvals.state };
  const toolsFolder = parent ? parent.toolsFolder : options.cwd;
  share(session, { ...shared, toolsFolder, budgetOf, turn, children }, parent, closing.signal, deps);
  if (opened.lease) shareLive(session, stages, running, closing.signal, deps);
  opening.move();
  try {
    await begin(session, stages, { ...running, background }, closing.signal, deps);
  } catch (thrown) {
    await session[Symbol.asyncDispose]();
    throw thrown;
  }
  return session;
}

/** Hooks get the user and the host of the session. */
function hooksOf({ record, principal, parent }: OpenedRecord, { hooks }: SessionDeps): HookBus {
  return sessionHooks(hooks, {
    platform: record.source,
    senderId: principal.id,
    ...(parent && { parentSessionId: parent.id }),
  });
}

/**
 * Settles calls that a crash left open, reports the start, switches to the requested branch and restores the queue,
 * whose prompts are held.
 */
async function begin(
  session: Session,
  { opened, bench }: ConversationStages,
  { conversation, hub, agents, goals, background }: RunningConversation & { background: OpenedSessionBackground },
  signal: AbortSignal,
  { hooks, sessions, logger }: SessionDeps,
): Promise<void> {
  const { options, record, entries, lease, log, model } = opened;
  const { workbench } = bench;
  if (lease) {
    if (lease.draft.isRestored) hub.emit({ type: "notice", level: "warn", text: restoredText });
    const granted = opened.parent ? [] : session.approvals.grants();
    if (granted.length > 0) hub.emit({ type: "notice", level: "info", text: grantedText(granted) });
    await settleOpenCalls(log, hub.emit);
    adoptProcesses({ record, entries, workbench, logger }, { signal, emit: hub.emit });
    await agents.restore();
    await goals.restore();
  }
  await hooks.notify(
    "sessionStart",
    { sessionId: record.id, source: record.source, model: model.facts().model },
    signal,
  );
  if (options.replaces !== undefined)
    await hooks.notify("sessionReset", { sessionId: record.id, source: record.source }, signal);
  const switched = options.branch === undefined ? undefined : await session.switchTo(options.branch, signal);
  if (switched?.ok === false) throw new Error(switched.error.message);
  if (lease) await background.restore();
  const queue = lease ? storedQueue(switched ? await sessions.path(record.id) : entries) : [];
  conversation.restoreQueue(queue);
}

function grantedText(rules: readonly string[]): string {
  const [first = "", ...others] = rules;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  return `Still allowed from before: ${oneLine(first, 100)}${more} (/approvals shows and revokes it).`;
}

const restoredText =
  "The last answer is incomplete: Hermes was killed while it was written. Its text so far is restored.";

/** Registers the session until it closes, so that others can share its parts and its parent can close it. */
function share(
  session: Session,
  parts: ParentSession,
  parent: ParentSession | undefined,
  closing: AbortSignal,
  { parents }: SessionDeps,
): void {
  parents.set(parts.id, parts);
  parent?.children.add(session);
  closing.addEventListener(
    "abort",
    () => {
      parents.delete(parts.id);
      parent?.children.delete(session);
    },
    { once: true },
  );
}

/** Lets plugins, MCP clients and MCP servers reach the session until it closes. */
function shareLive(
  session: Session,
  { opened, bench, requests }: ConversationStages,
  { callTool, plan }: RunningConversation,
  closing: AbortSignal,
  { live, policy, pages }: SessionDeps,
): void {
  const { options, record, principal, model, log } = opened;
  live.set(record.id, {
    session,
    source: record.source,
    callTool: (call) => callTool({ ...call, signal: AbortSignal.any([call.signal, closing]) }),
    model: () => model.beside ?? model,
    book: async (usage) => void (await log.append([{ type: "usage", ...usage }])),
    refusal: requests.refusal,
    ...(options.asker && { asker: options.asker }),
    decide: async (wish, signal) => {
      const { place } = bench.workbench.workplace.commands;
      const facts = { sessionId: record.id, principal, place, tainted: plan.taint().sources() };
      return policy.decide({ readOnly: false, ...wish, ...facts }, AbortSignal.any([signal, closing]));
    },
    taint: (source) => plan.taint().record(source),
    readPages: async (wish, signal) => (await pages()).offered({}).extract(wish, AbortSignal.any([signal, closing])),
    place: (signal) => bench.workbench.workplace.place(signal),
  });
  closing.addEventListener("abort", () => void live.delete(record.id), { once: true });
}

import type { AgentPorts, ChildOpening, ParentFacts } from "../../agents/agent-ports.ts";
import type { OpenedAgents } from "../../agents/agent-spawner.ts";
import { createCallCount } from "../../agents/call-count.ts";
import { taintingAgents } from "../../agents/tainting-agents.ts";
import { once } from "../../base/async/once.ts";
import { asId, type CallId } from "../../base/ids.ts";
import { err } from "../../base/result.ts";
import type { TextSource, TurnTaint } from "../../contracts/safety/text-source.ts";
import {
  type AgentReport,
  type AgentSpawner,
  agentSource,
  type AgentStatus,
  maxSummaryChars,
  type SessionAgentTree,
} from "../../contracts/session/agents.ts";
import type { AgentEvent, AgentEventBody } from "../../contracts/session/event.ts";
import type { Session, SessionOptions } from "../../contracts/session/runtime.ts";
import { fenceText } from "../../kernel/dispatch/result/untrusted.ts";
import { createTouchedFiles } from "../../kernel/loop/record/touched-files.ts";
import type { ArrivedMessage } from "../../kernel/loop/turn.ts";
import type { ConversationStages } from "../session/conversation-stages.ts";
import type { SessionDeps } from "../session/session-deps.ts";
import { childPlaces } from "./child-place.ts";
import { openWorktrees } from "./open-worktrees.ts";

/** The children of a session. Disposing ends them. */
export interface SessionAgents extends AsyncDisposable {
  /** The interface for the host. */
  readonly tree: SessionAgentTree;
  /** The interface for the tools of a turn: reports taint the turn with the untrusted texts that the child read. */
  service(record: TurnTaint["record"]): AgentSpawner;
  /** Reports that were not delivered by a call, as messages. */
  arrived(record: TurnTaint["record"]): readonly ArrivedMessage[];
  /** Subscribes to the events of the session itself. */
  watch(event: AgentEvent): void;
  /** Number of model calls of all descendants in this turn. */
  callsBelow(): number;
  /** Records an outcome for children that a killed program left unfinished. */
  restore(): Promise<void>;
}

/** Opens the session of a child. */
export type StartChildSession = (child: {
  readonly options: SessionOptions;
  readonly say: (sentence: string) => void;
  readonly opening: ChildOpening;
}) => Promise<Session>;

interface AgentsOptions {
  /** Untrusted texts that the session has read. */
  readonly readTexts: () => readonly TextSource[];
  readonly emit: (event: AgentEventBody) => void;
  readonly startChildSession: StartChildSession;
}

/**
 * Opens the child agents of a session. Their code is loaded with the first call, so that sessions without children cost
 * nothing.
 */
export function openSessionAgents(stages: ConversationStages, of: AgentsOptions, deps: SessionDeps): SessionAgents {
  const { record, principal, log, entries, child } = stages.opened;
  const settings = agentSettings(deps);
  const calls = createCallCount(stages.requests.maxModelCalls);
  const parent = parentFacts(stages, calls.refusal, deps);
  let opened: OpenedAgents | undefined;
  let texts: ((report: AgentReport) => string) | undefined;
  const agents = once(async () => {
    const { createAgentSpawner } = await import("../../agents/agent-spawner.ts");
    const { reportMessage } = await import("../../agents/delivery.ts");
    const ports = agentPorts(stages, of, { settings, parent, counted: calls.below }, deps);
    const spawner = createAgentSpawner(ports);
    log.addToResults(spawner.settled);
    texts = (report) =>
      reportMessage(report, messageChars(stages), (text) => fenceText(text, `agent:${report.agentId}`));
    return (opened = spawner);
  });
  const depthLeft = parent.role === "leaf" ? 0 : Math.max(0, settings.depth - parent.depth);
  const tree: SessionAgentTree = {
    limits: { batch: settings.batch, concurrent: settings.concurrent, depthLeft },
    undelivered: () => opened?.undelivered() ?? [],
    definitions: async () => (await agents()).definitions(),
    spawn: async (tasks, options) => (await agents()).spawn(tasks, options),
    wait: async (ids, limits) => (await agents()).wait(ids, limits),
    list: async () => (await agents()).list(),
    report: async (id, callId) => (await agents()).report(id, callId),
    steer: (id, text) => opened?.steer(id, text) ?? err(`There is no running agent ${id}.`),
    stop: async (id, why) => (await agents()).stop(id, why),
    resume: async (id, text, options) => (await agents()).resume(id, text, options),
  };
  return {
    tree,
    service: (record) => taintingAgents(tree, record),
    arrived(record) {
      return (opened?.arrived() ?? []).map(({ report, mark }) => {
        for (const source of report.readTexts ?? []) record(source);
        return { content: [{ type: "text", text: texts?.(report) ?? "" }], marks: [mark] };
      });
    },
    watch: calls.watch,
    callsBelow: () => calls.countBelow,
    async restore() {
      if (entries.length <= (child ? 1 : 0) || (await deps.sessions.children(record.id, principal)).length === 0)
        return;
      await (await agents()).restore();
    },
    [Symbol.asyncDispose]: async () => opened?.[Symbol.asyncDispose](),
  };
}

/** A share of the window, within the limit of a report. */
function messageChars({ opened }: ConversationStages): number {
  return Math.min(maxSummaryChars, Math.max(minMessageChars, Math.floor(opened.model.facts().contextTokens / 5)));
}

const minMessageChars = 2_000;

function agentSettings({ config }: SessionDeps): AgentPorts["settings"] {
  const { delegation } = config.values;
  return {
    batch: delegation.max_batch,
    concurrent: delegation.max_concurrent_children,
    depth: delegation.max_spawn_depth,
    maxIterations: delegation.max_iterations,
    ...(delegation.child_timeout_seconds > 0 && { maxSeconds: delegation.child_timeout_seconds }),
    ...(delegation.model !== "" && { model: delegation.model }),
    models: delegation.models,
    idleMs: 450_000,
    toolMs: 1_200_000,
  };
}

function parentFacts(
  { opened, bench }: ConversationStages,
  callsRefusal: () => string | undefined,
  deps: SessionDeps,
): ParentFacts {
  const { record, principal, lease, child, catalog, model } = opened;
  return {
    sessionId: record.id,
    principal,
    isWritable: lease !== undefined,
    depth: child?.plan.depth ?? 0,
    ...(child && { agentId: child.plan.agentId, role: child.plan.role }),
    tools: child?.plan.tools ?? { never: [] },
    cwd: () => bench.workbench.workplace.commands.place.cwd,
    model() {
      const facts = model.facts();
      return `${facts.provider}/${facts.model}`;
    },
    hasTool: catalog.has,
    toolsIn: deps.toolsIn,
    refusal: async () => callsRefusal() ?? child?.refusal(),
  };
}

function agentPorts(
  { opened, bench }: ConversationStages,
  { emit, readTexts, startChildSession }: AgentsOptions,
  { settings, parent, counted }: Pick<AgentPorts, "settings" | "parent"> & { counted(status: AgentStatus): void },
  { config, sessions, desk, hooks, clock, logger, say }: SessionDeps,
): AgentPorts {
  const { options, record, principal, child } = opened;
  const { signal } = new AbortController();
  const notices = new Set<string>();
  /** A notice that several children report is shown once. */
  const sayOnce = (sentence: string) => {
    if (notices.has(sentence)) return;
    notices.add(sentence);
    say(sentence);
  };
  return {
    parent,
    settings,
    store: sessions,
    open(opening) {
      const { task, tools, model, maxIterations } = opening.plan;
      const { place } = opening.workplace;
      const own: SessionOptions = {
        source: agentSource,
        principal,
        parent: record.id,
        model,
        cwd: place.kind === "worktree" ? place.cwd : parent.cwd(),
        childPlace: place,
        tools: { ...options.tools, ...tools },
        maxTurns: maxIterations,
        ignoreRules: task.withKnowledge !== true,
        ...(options.reasoning && { reasoning: options.reasoning }),
      };
      return startChildSession({ options: own, say: sayOnce, opening });
    },
    ...childPlaces(bench.workbench.workplace, openWorktrees(config, { clock, log: logger })),
    async definitions() {
      const { agentDefinitions } = await import("./agent-definitions.ts");
      return (await agentDefinitions(config, parent.cwd())).agents;
    },
    changedFiles: (entries) =>
      createTouchedFiles(entries)
        .list()
        .flatMap(({ path, how }) => (how === "read" ? [] : [path])),
    async spill(name, text) {
      const spilled = await bench.workbench.spill.spill(asId<CallId>(name), text, signal);
      return spilled.ok ? spilled.value.path : undefined;
    },
    waitsForPerson: async (id) => (await desk.pending(principal)).some(({ sessionId }) => sessionId === id),
    readTexts,
    hooks,
    emit,
    say,
    relay(status) {
      counted(status);
      child?.relay(status);
    },
    clock,
    log: logger,
  };
}

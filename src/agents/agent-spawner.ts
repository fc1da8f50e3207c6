import { waitFor } from "../base/async/bounded-wait.ts";
import type { AgentId } from "../base/ids.ts";
import { err, ok } from "../base/result.ts";
import type { AgentSpawn, AgentSpawner, AgentStatus, AgentTask } from "../contracts/session/agents.ts";
import { agentSource } from "../contracts/session/agents.ts";
import { type AgentCard, cardEntry } from "./agent-card.ts";
import type { AgentPorts, ChildPlan } from "./agent-ports.ts";
import { type ChildRun, createChildRun } from "./child-run.ts";
import { planChildren } from "./plan-child.ts";
import { createWaitingLine } from "./waiting-line.ts";

/** The children of one open session. Disposing ends them as interrupted, and returns when their records are stored. */
export interface OpenedAgents extends Omit<AgentSpawner, "limits">, AsyncDisposable {}

export function createAgentSpawner(ports: AgentPorts): OpenedAgents {
  const { parent, settings, store, clock } = ports;
  const runs = new Map<AgentId, ChildRun>();
  const line = createWaitingLine(settings.concurrent);
  const closing = new Set<Promise<void>>();
  let isClosed = false;

  function changed(status: AgentStatus): void {
    ports.emit({ type: "agent.changed", agent: status });
    ports.relay?.(status);
  }

  async function begin(plan: ChildPlan, { callId, isBackground }: AgentSpawn): Promise<ChildRun> {
    const card: AgentCard = {
      agentId: plan.agentId,
      callId,
      ...(parent.agentId !== undefined && { parentAgentId: parent.agentId }),
      task: plan.task,
      depth: plan.depth,
      isBackground,
      startedAt: clock.now(),
    };
    const { sessionId, principal } = parent;
    const about = { source: agentSource, principal, cwd: parent.cwd(), model: plan.model, parent: sessionId };
    const record = await store.create(about, [cardEntry(card)]);
    const lease = await store.lease(record.id, agentSource);
    if (!lease.ok) throw new Error(`the session of the agent is in use by ${lease.error.heldBy}`);
    return createChildRun({ card, plan, record, lease: lease.value, changed, relayed: changed }, ports);
  }

  function enter(run: ChildRun, { isBackground, signal }: AgentSpawn): void {
    runs.set(run.card.agentId, run);
    changed(run.status());
    if (!isBackground) {
      const stop = () => run.end("interrupted", "The agent that started it was stopped.");
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      void run.done.then(() => signal.removeEventListener("abort", stop));
    }
    line.add(() => {
      const work = run.start();
      closing.add(work);
      return work.finally(() => closing.delete(work));
    });
  }

  return {
    definitions: ports.definitions,
    async spawn(tasks: readonly AgentTask[], options) {
      if (isClosed) return err("The session is being closed; no agent was started.");
      const plans = planChildren(tasks, await ports.definitions(), ports);
      if (!plans.ok) return plans;
      const started = await Promise.all(plans.value.map((plan) => begin(plan, options)));
      for (const run of started) enter(run, options);
      return ok(started.map(({ card }) => card.agentId));
    },
    async wait(ids, { timeoutMs = Infinity, signal }) {
      const all = Promise.all(ids.map((id) => runs.get(id)?.done));
      await waitFor(all, { ms: timeoutMs, signal, clock });
      return ids.map((id) => runs.get(id)?.report);
    },
    list: async () => [...runs.values()].map((run) => run.status()),
    report: async (id) => runs.get(id)?.report,
    steer: (id, text) => runs.get(id)?.steer(text) ?? err(`There is no agent ${id}.`),
    async stop(id, why) {
      const run = runs.get(id);
      if (!run) return err(`There is no agent ${id}.`);
      run.end("interrupted", why);
      await run.done;
      return ok(undefined);
    },
    resume: async () => err("not yet"),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const run of runs.values()) run.end("interrupted", "The session that started it was closed.");
      await Promise.all([...runs.values()].map((run) => run.done));
      await Promise.all(closing);
    },
  };
}

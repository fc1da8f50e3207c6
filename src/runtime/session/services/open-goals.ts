import { linkAbort } from "../../../base/async/abort.ts";
import { once } from "../../../base/async/once.ts";
import { codeOf } from "../../../base/files/file-fault.ts";
import { processStart } from "../../../base/process/process-owner.ts";
import { err } from "../../../base/result.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import { agentSource } from "../../../contracts/session/agents.ts";
import type { AgentEvent, AgentEventBody, TurnOutcome } from "../../../contracts/session/event.ts";
import type { SessionGoals } from "../../../contracts/session/goals.ts";
import { type Entry, oneShotSource } from "../../../contracts/session/session.ts";
import { fieldsOf, viewResult } from "../../../contracts/tool/result-view.ts";
import type { ToolResult } from "../../../contracts/tool/tool-result.ts";
import type { GateRun, GoalPorts } from "../../../goals/goal-ports.ts";
import type { OpenedGoals } from "../../../goals/session-goals.ts";
import type { Conversation } from "../../../kernel/loop/conversation.ts";
import type { ConversationStages } from "../conversation-stages.ts";
import type { SessionDeps, SideCall } from "../session-deps.ts";

/** Goals, loops and heartbeats of a session. Their code is loaded only if the session has some. */
export interface OpenedSessionGoals extends AsyncDisposable {
  readonly session: SessionGoals;
  /** Loads the state that an earlier program stored. */
  restore(): Promise<void>;
  watch(event: AgentEvent): void;
  turnStarts(): void;
  turnEnds(prompt: readonly ContentPart[], outcome: TurnOutcome): void;
  headMoved(): void;
}

interface GoalsOptions {
  readonly conversation: Conversation;
  callTool(call: SideCall): Promise<ToolResult>;
  readonly emit: (event: AgentEventBody) => void;
}

export function openSessionGoals(stages: ConversationStages, of: GoalsOptions, deps: SessionDeps): OpenedSessionGoals {
  const { options, entries, lease, catalog } = stages.opened;
  let opened: OpenedGoals | undefined;
  let changes = 0;
  const goals = once(async () => {
    const { openGoals } = await import("../../../goals/session-goals.ts");
    return (opened = openGoals(
      entries,
      goalPorts(stages, of, () => changes, deps),
    ));
  });
  const refusal = refusalOf(options.source, lease !== undefined);
  const refused = refusal === undefined ? undefined : err({ message: refusal });
  return {
    session: {
      status: () => opened?.status() ?? {},
      setGoal: async (text, contract) => refused ?? (await goals()).setGoal(text, contract),
      draft: async (text, signal) => refused ?? (await goals()).draft(text, signal),
      changeGoal: async (change) => refused ?? (await goals()).changeGoal(change),
      clearGoal: async () => refused ?? (await goals()).clearGoal(),
      startLoop: async (wish) => refused ?? (await goals()).startLoop(wish),
      changeLoop: async (change) => refused ?? (await goals()).changeLoop(change),
      startHeartbeat: async (wish) => refused ?? (await goals()).startHeartbeat(wish),
      stopHeartbeat: async () => refused ?? (await goals()).stopHeartbeat(),
    },
    async restore() {
      if (!refused && hasStandingWork(entries)) await goals();
    },
    watch(event) {
      const isPrompt = event.type === "turn.started" && !opened?.isOwn(event.prompt);
      const isChange = event.type === "tool.finished" && catalog.find(event.name)?.traits.readOnly !== true;
      if (isPrompt || isChange) changes += 1;
    },
    turnStarts: () => opened?.turnStarts(),
    turnEnds: (prompt, outcome) => opened?.turnEnds(prompt, outcome),
    headMoved: () => void opened?.headMoved(),
    [Symbol.asyncDispose]: async () => opened?.[Symbol.asyncDispose](),
  };
}

/** Sources whose sessions end with their prompt, so nothing can continue in them. */
const shortSources: ReadonlySet<string> = new Set([oneShotSource, agentSource, "background", "replay"]);

function refusalOf(source: string, isWritable: boolean): string | undefined {
  if (!isWritable) return "Another program writes to this session; it is read-only here.";
  return shortSources.has(source) ? "Goals, loops and heartbeats need a chat that stays open." : undefined;
}

function hasStandingWork(entries: readonly Entry[]): boolean {
  return ["goal", "loop", "heartbeat"].some((name) => {
    const last = entries.findLast((entry) => entry.type === "state" && entry.name === name);
    return last?.type === "state" && last.value !== null;
  });
}

function goalPorts(
  { opened, bench, sessionModel }: ConversationStages,
  { conversation, callTool, emit }: GoalsOptions,
  changes: () => number,
  { config: { values }, clock, logger }: SessionDeps,
): GoalPorts {
  const { record, model, log } = opened;
  const { timeout, provider, model: judge, base_url: address } = values.auxiliary.goal_judge;
  const hasOwnJudge = provider !== "auto" || judge !== "" || address !== "";
  return {
    conversation,
    async ask(prompt, schema, signal) {
      using link = linkAbort(signal);
      using _timer = clock.after(timeout * 1_000, () => link.abort(new Error("it took too long")));
      return await sessionModel.auxiliary.complete(
        "goal_judge",
        prompt,
        { maxTokens: maxJudgeTokens, schema },
        link.signal,
      );
    },
    judgeFault: () =>
      model.facts().offline === true && !hasOwnJudge
        ? "The built-in model cannot judge. Connect a model, or add a check: /goal gate add COMMAND."
        : undefined,
    async runGate(command, signal) {
      // Runs in a subshell, so that the folder and the variables of the session do not change.
      const args = { command: `(\n${command}\n)`, timeout: gateSeconds };
      return gateRun(await callTool({ name: "terminal", args, origin: "model", signal }));
    },
    async processes(signal) {
      const own = await bench.workbench.processes.own(signal, record.id);
      return own.map(({ id, pid, command }) => ({ id, pid, command }));
    },
    startOf,
    changes,
    store: (name, value) => log.append([{ type: "state", name, value }]),
    changed: (status) => emit({ type: "goals.changed", status }),
    notice: (level, text) => emit({ type: "notice", level, text }),
    maxTurns: values.goals.max_turns,
    clock,
    log: logger,
  };
}

/** The answer is short; models that reason first need more tokens. */
const maxJudgeTokens = 4_000;
const gateSeconds = 300;
const gateTailChars = 3_000;

function gateRun(result: ToolResult): GateRun {
  if (!result.ok && notRun.has(result.error.kind)) return { how: "denied", why: result.error.message };
  const { exit_code: code } = fieldsOf(result);
  if (result.ok && code === 0) return { how: "passed" };
  const { output, summary } = viewResult(result);
  return { how: "failed", output: `${summary}\n${output ?? ""}`.trim().slice(-gateTailChars) };
}

const notRun: ReadonlySet<string> = new Set(["denied", "blocked", "unavailable", "unknown_tool", "aborted"]);

/** Without `/proc`, only the existence of a process can be checked, not its start time. */
function startOf(pid: number): string | undefined {
  const start = processStart(pid);
  if (start !== undefined) return start;
  try {
    process.kill(pid, 0);
    return "";
  } catch (thrown) {
    return codeOf(thrown) === "EPERM" ? "" : undefined;
  }
}

import { asId, type CallId } from "../../src/base/ids.ts";
import type { AgentId } from "../../src/base/ids.ts";
import type { AgentReport, AgentSpawn, AgentTask } from "../../src/contracts/session/agents.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import type { OpenedRuntime } from "../../src/runtime/create-runtime.ts";
import { runtimeRig, type RuntimeRigOptions } from "./runtime-rig.ts";
import { type RequestWithoutModel, type ScriptedAnswer, type ScriptedModel, scriptedModel } from "./scripted-model.ts";
import { tempHome } from "./temp-home.ts";

export interface AgentRig extends AsyncDisposable {
  readonly folder: string;
  readonly runtime: OpenedRuntime;
  readonly parent: Session;
  /** Closes the runtime and opens another one on the same home. */
  restart(): Promise<OpenedRuntime>;
}

/** A session that can start child agents, with the real runtime and a scripted model. */
export async function agentRig(
  model: ScriptedModel,
  settings: Readonly<Record<string, unknown>> = {},
  more: Partial<RuntimeRigOptions> = {},
): Promise<AgentRig> {
  const home = await tempHome();
  const open = () => runtimeRig({ folder: home.path, model, settings, ...more });
  let runtime = await open();
  const parent = await runtime.openSession({ source: "test" });
  return {
    folder: home.path,
    get runtime() {
      return runtime;
    },
    parent,
    async restart() {
      await runtime[Symbol.asyncDispose]();
      return (runtime = await open());
    },
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

export type Script = (request: RequestWithoutModel, index: number) => ScriptedAnswer;

/** Scripts the model's answers to children by the goals of their tasks; all other requests are answered with "ok". */
export function answersByGoal(scripts: Scripts): Script {
  return (request) => {
    const first = JSON.stringify(request.messages[0]?.content ?? "");
    const goal = Object.keys(scripts).find((each) => first.includes(`Task: ${each}`));
    const script = goal === undefined ? undefined : scripts[goal];
    const index = request.messages.filter(({ role }) => role === "assistant").length;
    if (!script) return { text: "ok" };
    return typeof script === "function" ? script(request, index) : (script[index] ?? { text: "nothing left" });
  };
}

/** `index` is the number of the answer to this child, from 0. */
export type Scripts = Readonly<Record<string, readonly ScriptedAnswer[] | Script>>;

export function modelByGoal(scripts: Scripts): ScriptedModel {
  return scriptedModel(answersByGoal(scripts));
}

export const never = new AbortController().signal;

export function spawning(more: Partial<AgentSpawn> = {}): AgentSpawn {
  return { callId: asId<CallId>("call_1"), isBackground: false, signal: never, ...more };
}

export function leaf(goal: string, more: Partial<AgentTask> = {}): AgentTask {
  return { goal, role: "leaf", ...more };
}

export async function spawned(
  session: Session,
  tasks: readonly AgentTask[],
  more: Partial<AgentSpawn> = {},
): Promise<readonly AgentId[]> {
  const ids = await session.agents.spawn(tasks, spawning(more));
  if (!ids.ok) throw new Error(ids.error);
  return ids.value;
}

/** Starts one child in the foreground and returns its report. */
export async function reportOf(session: Session, task: AgentTask): Promise<AgentReport> {
  const [report] = await session.agents.wait(await spawned(session, [task]), { signal: never });
  if (!report) throw new Error("no report");
  return report;
}

import { newId, type AgentId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import { plural } from "../base/text/text.ts";
import type { AgentDefinition, AgentTask } from "../contracts/session/agents.ts";
import type { AgentPorts, ChildPlan, NarrowedTools } from "./agent-ports.ts";
import { childIdentity } from "./child-prompt.ts";

type PlanPorts = Pick<AgentPorts, "parent" | "settings">;

/** Tools that no child has, because they reach the user or change state that all sessions share. */
const neverInChildren: readonly string[] = ["clarify", "memory", "send_message", "sessions_send"];

/** Tools that start other agents. */
const startsAgents: readonly string[] = ["delegate_task"];

/** Checks all tasks of a batch. An error rejects the whole batch. */
export function planChildren(
  tasks: readonly AgentTask[],
  definitions: readonly AgentDefinition[],
  ports: PlanPorts,
): Result<readonly ChildPlan[], string> {
  const { settings, parent } = ports;
  if (tasks.length === 0) return err("There is no task. Give a goal, or tasks with a goal each.");
  if (tasks.length > settings.batch) {
    return err(`${plural(tasks.length, "task")} in one call; at most ${settings.batch} are possible. Split them.`);
  }
  if (parent.role === "leaf") return err("An agent with the role leaf cannot start agents. Do the task yourself.");
  if (parent.depth >= settings.depth) {
    return err(
      `Agents can be started ${settings.depth} deep (delegation.max_spawn_depth), and this one is at that depth. Do the task yourself.`,
    );
  }
  const plans: ChildPlan[] = [];
  for (const [index, task] of tasks.entries()) {
    const plan = planChild(task, definitions, ports);
    if (!plan.ok) return tasks.length === 1 ? plan : err(`Task ${index + 1}: ${plan.error}`);
    plans.push(plan.value);
  }
  return ok(plans);
}

export function planChild(
  task: AgentTask,
  definitions: readonly AgentDefinition[],
  { parent, settings }: PlanPorts,
): Result<ChildPlan, string> {
  if (task.goal.trim() === "") return err("The goal is empty. Say what the agent must do.");
  const definition = definitions.find(({ name }) => name === task.agent);
  if (task.agent !== undefined && !definition) return err(unknownAgent(task.agent, definitions));
  const depth = parent.depth + 1;
  // At the maximum depth an orchestrator cannot start agents.
  const role = depth >= settings.depth ? "leaf" : task.role;
  const tools = narrowedTools(task, definition, role === "leaf", parent);
  if (!tools.ok) return tools;
  const model = modelFor(task, definition, { parent, settings });
  if (!model.ok) return model;
  const seconds = [task.budget?.seconds, settings.maxSeconds].filter((each) => each !== undefined);
  return ok({
    agentId: newId<AgentId>("agent"),
    task: { ...task, role },
    ...(definition && { definition }),
    role,
    depth,
    tools: tools.value,
    model: model.value,
    ...(definition?.permissions && { permissions: definition.permissions }),
    maxIterations: Math.min(task.maxIterations ?? settings.maxIterations, settings.maxIterations),
    ...(seconds.length > 0 && { maxSeconds: Math.min(...seconds) }),
    identity: childIdentity(role, definition),
  });
}

function unknownAgent(name: string, definitions: readonly AgentDefinition[]): string {
  const names = definitions.map((each) => each.name);
  const near = nearest(name, names);
  const choice = near.length > 0 ? `Did you mean ${near.slice(0, 3).join(" or ")}?` : `There are: ${names.join(", ")}.`;
  return `There is no agent ${JSON.stringify(name)}. ${names.length === 0 ? "Leave `agent` out." : choice}`;
}

/** The tools of the parent, narrowed by the agent file, then by the task. */
function narrowedTools(
  { toolsets }: AgentTask,
  definition: AgentDefinition | undefined,
  isLeaf: boolean,
  parent: AgentPorts["parent"],
): Result<NarrowedTools, string> {
  let { only } = parent.tools;
  for (const names of [definition?.tools, toolsets]) {
    if (!names) continue;
    const tools = new Set<string>();
    for (const name of names) {
      const own = [...(parent.toolsIn(name) ?? [name])].filter(parent.hasTool);
      const isNeeded = own.length === 0 && names === toolsets;
      if (isNeeded) return err(`This session has no tool of the toolset ${JSON.stringify(name)}, so no child has one.`);
      for (const tool of own) tools.add(tool);
    }
    only = only ? only.filter((tool) => tools.has(tool)) : [...tools];
  }
  const without = (definition?.withoutTools ?? []).flatMap((name) => [...(parent.toolsIn(name) ?? [name])]);
  const never = [...parent.tools.never, ...neverInChildren, ...without, ...(isLeaf ? startsAgents : [])];
  return ok({ ...(only && { only: [...new Set(only)].toSorted() }), never: [...new Set(never)].toSorted() });
}

/** A task, and an agent file of a project, may select only a model that the operator lists. */
function modelFor(
  { model }: AgentTask,
  definition: AgentDefinition | undefined,
  { parent, settings }: PlanPorts,
): Result<string, string> {
  const own = settings.model ?? parent.model();
  const isAllowed = (name: string) => settings.models.includes(name) || name === own || name === parent.model();
  if (model !== undefined && !isAllowed(model)) {
    const { models } = settings;
    return err(
      models.length === 0
        ? "The settings do not let you choose a model (delegation.models). Leave `model` out."
        : `The settings do not allow the model ${JSON.stringify(model)}. Allowed: ${models.join(", ")}.`,
    );
  }
  const ofFile = definition?.model;
  const isTrusted = ofFile !== undefined && (definition?.source !== "project" || isAllowed(ofFile));
  return ok(model ?? (isTrusted ? ofFile : own));
}

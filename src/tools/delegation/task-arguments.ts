import { isObject, type JsonObject, parsedObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { AgentSpawner, AgentTask } from "../../contracts/session/agents.ts";

/** The arguments of `delegate_task` that describe work. Models fill fields that they do not use with "", 0 and []. */
export interface TaskArguments {
  readonly goal?: string | undefined;
  readonly context?: string | undefined;
  /** The tasks: each one is a goal, or an object with a goal and other fields of a call. */
  readonly tasks?: readonly unknown[] | undefined;
  readonly agent?: string | undefined;
  readonly role?: string | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly output_schema?: unknown;
  readonly max_iterations?: number | undefined;
  readonly max_usd?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly max_seconds?: number | undefined;
  readonly share?: boolean | undefined;
  readonly isolation?: "worktree" | undefined;
}

/** The fields of one task: those of the call, except `tasks`. */
type TaskFields = Omit<TaskArguments, "tasks">;

const fieldTypes: {
  readonly [Field in keyof Required<TaskFields>]: "string" | "number" | "boolean" | "strings" | "any";
} = {
  goal: "string",
  context: "string",
  agent: "string",
  role: "string",
  toolsets: "strings",
  model: "string",
  output_schema: "any",
  max_iterations: "number",
  max_usd: "number",
  max_tokens: "number",
  max_seconds: "number",
  share: "boolean",
  isolation: "string",
};

/** The tasks of a call. Fields of the call apply to each task that does not set them. */
export function tasksOf(args: TaskArguments, limits: AgentSpawner["limits"]): Result<readonly AgentTask[], string> {
  const { goal = "", tasks = [] } = args;
  if (limits.depthLeft < 1)
    return err("This agent cannot start others: the depth limit is reached. Do the work yourself.");
  if (tasks.length === 0) {
    if (goal.trim() === "") return err("Pass goal (one task) or tasks (several).");
    const task = taskOf(args, { goal }, "goal");
    return task.ok ? ok([task.value]) : task;
  }
  if (goal.trim() !== "") return err("Pass either goal or tasks. A common background belongs in context.");
  if (tasks.length > limits.batch)
    return err(
      `${tasks.length} tasks are too many: at most ${limits.batch} per call. Combine some, or call again after these.`,
    );
  const built: AgentTask[] = [];
  for (const [index, each] of tasks.entries()) {
    const fields = fieldsOf(each, `tasks[${index}]`);
    if (!fields.ok) return fields;
    const task = taskOf(args, fields.value, `tasks[${index}].goal`, minGoalChars);
    if (!task.ok) return task;
    const twin = built.findIndex((other) => other.goal === task.value.goal && other.context === task.value.context);
    if (twin >= 0) return err(`tasks[${twin}] and tasks[${index}] are the same. Give each child work of its own.`);
    built.push(task.value);
  }
  return ok(built);
}

const minGoalChars = 10;

/** The tool's schema does not describe tasks, which keeps it small; they are checked here. */
function fieldsOf(task: unknown, place: string): Result<TaskFields, string> {
  if (typeof task === "string") return ok({ goal: task });
  if (!isObject(task)) return err(`${place} is not an object with goal and context.`);
  for (const [field, value] of Object.entries(task)) {
    if (!Object.hasOwn(fieldTypes, field))
      return err(`${place} has the unknown field ${field}. Fields: ${Object.keys(fieldTypes).join(", ")}.`);
    const type = fieldTypes[field as keyof TaskFields];
    const isRight =
      value === null ||
      type === "any" ||
      (type === "strings"
        ? Array.isArray(value) && value.every((item) => typeof item === "string")
        : typeof value === type);
    if (!isRight) return err(`${place}.${field} is not ${type === "strings" ? "a list of strings" : `a ${type}`}.`);
  }
  const given = Object.entries(task).filter(([, value]) => value !== null);
  // Safe cast: each field has been checked.
  return ok(Object.fromEntries(given) as TaskFields);
}

function taskOf(common: TaskFields, own: TaskFields, field: string, minChars = 1): Result<AgentTask, string> {
  const fields: TaskFields = { ...common, ...own };
  const goal = (own.goal ?? "").trim();
  const fault = goalFault(goal, minChars);
  if (fault !== undefined) return err(`${field}: ${fault}`);
  const role = filled(own.role) ?? filled(common.role) ?? "leaf";
  if (role !== "leaf" && role !== "orchestrator")
    return err(`role: "${oneLine(role, 40)}" is not leaf or orchestrator.`);
  const isolation: string = filled(fields.isolation) ?? "";
  if (isolation !== "" && isolation !== "worktree")
    return err(`isolation: "${oneLine(isolation, 40)}" is not worktree.`);
  const outputSchema = schemaOf(own.output_schema) ?? schemaOf(common.output_schema);
  if (outputSchema === "fault")
    return err('output_schema is not a JSON Schema: pass an object such as {"type":"object"}.');
  const context = [filled(common.context), filled(own.context)].filter(Boolean).join("\n\n");
  const { toolsets = [], max_iterations: iterations = 0 } = fields;
  const budget = withoutUndefined({
    costUsd: positive(fields.max_usd),
    tokens: positive(fields.max_tokens),
    seconds: positive(fields.max_seconds),
  });
  return ok({
    goal,
    role,
    ...withoutUndefined({
      context: context === "" ? undefined : context,
      agent: filled(own.agent) ?? filled(common.agent),
      toolsets: toolsets.length > 0 ? toolsets : undefined,
      model: filled(own.model) ?? filled(common.model),
      outputSchema,
      maxIterations: positive(Math.ceil(iterations)),
      budget: Object.keys(budget).length > 0 ? budget : undefined,
      share: fields.share === true ? true : undefined,
      isolation: isolation === "worktree" ? ("worktree" as const) : undefined,
    }),
  });
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

/** Some models send the schema as text. */
function schemaOf(value: unknown): JsonObject | "fault" | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const schema = typeof value === "string" ? parsedObject(value) : value;
  if (!isObject(schema) || Object.keys(schema).length === 0) return isObject(value) ? undefined : "fault";
  // Safe cast: the arguments of a call come from JSON.
  return schema as JsonObject;
}

/**
 * Returns why a goal is not a valid task. A child cannot ask questions, so an incomplete text would waste its whole
 * run.
 */
function goalFault(goal: string, minChars: number): string | undefined {
  if (goal === "") return "it is empty. Describe the work and the result you expect.";
  if (
    /^(?:[<[{(]+[^<>[\]{}()]*[>\]})]+|\W*(?:todo|tbd|fixme|placeholder|goal|task|string|example)\W*|[\W_]+)$/iu.test(
      goal,
    )
  )
    return `"${oneLine(goal, 60)}" is a placeholder. Describe the work and the result you expect.`;
  // Template markers that are meant literally are in quotes.
  const prose = goal.replaceAll(/`[^`]*`|"[^"]*"|'[^'\n]*'/gu, "");
  const marker =
    /\{\{[^{}]*\}\}|\$\{[^{}]*\}|<%.*?%>|[[<]\s*(?:insert|your|placeholder|todo|fill in)\b[^\]>]*[\]>]/iu.exec(
      prose,
    )?.[0];
  if (marker !== undefined)
    return `it contains the template marker ${oneLine(marker, 40)}. Fill it in; put it in backticks if it is meant literally.`;
  return goal.length < minChars
    ? `"${goal}" is too short. A child knows nothing else: describe the work and the result you expect.`
    : undefined;
}

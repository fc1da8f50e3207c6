import { isObject, type JsonValue } from "../base/json.ts";
import type { Logger } from "../base/log/log.ts";
import { err, ok, reasonOf } from "../base/result.ts";
import { cut } from "../base/text/text.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import type { AgentEventBody } from "../contracts/session/event.ts";
import type { PlanStatus, SessionPlanning } from "../contracts/session/planning.ts";
import { announcedHeads } from "../contracts/session/program-prompt.ts";
import type { Entry } from "../contracts/session/session.ts";
import type { TodoItem, TodoList } from "../contracts/session/todo.ts";
import type { TurnCompanion } from "../contracts/session/turn-companion.ts";

export interface PlanModeDeps {
  /** If true, the policy allows only reading, in this session and in all sessions that it starts. */
  restrict(isReadOnly: boolean): void;
  store(value: JsonValue): Promise<unknown>;
  readonly log: Logger;
}

/** The parts that exist only after the conversation has started. */
export interface PlanModeSession {
  prompt(content: readonly ContentPart[]): unknown;
  todos(): TodoList;
  emit(event: AgentEventBody): void;
}

export interface PlanMode extends SessionPlanning {
  readonly companion: TurnCompanion;
  attach(session: PlanModeSession): void;
  /**
   * Called when the session switched to another branch. Plan mode belongs to the whole session, so it is stored again
   * there.
   */
  headMoved(): void;
}

export const planState = "planning";

/** `refusal` is the reason why the session cannot be changed here, if any. */
export function createPlanMode(entries: readonly Entry[], refusal: string | undefined, deps: PlanModeDeps): PlanMode {
  let status = storedPlan(entries);
  let session: PlanModeSession | undefined;
  if (status) deps.restrict(true);

  async function change(next: PlanStatus | undefined): Promise<void> {
    // Restrictions apply immediately; they end only after the change is stored.
    if (next) deps.restrict(true);
    status = next;
    session?.emit({ type: "plan.changed", ...(next && { planning: next }) });
    await deps.store(next ? { ...next } : null);
    if (!next) deps.restrict(false);
  }

  function changeLater(next: PlanStatus): void {
    change(next).catch((thrown: unknown) => deps.log.error("plan.not_stored", { error: reasonOf(thrown) }));
  }

  return {
    status: () => status,
    async start(request) {
      if (refusal !== undefined) return err({ message: refusal });
      await change({});
      if (request !== undefined && request.trim() !== "") session?.prompt([{ type: "text", text: request }]);
      return ok({});
    },
    async approve(edited) {
      if (refusal !== undefined) return err({ message: refusal });
      if (!status) return err({ message: "The session is not in plan mode. /plan TEXT plans something." });
      const plan = edited ?? status.plan;
      if (plan === undefined || plan.trim() === "") return err({ message: "There is no plan yet." });
      const steps = planSteps(plan);
      await change(undefined);
      if (steps.length > 0) session?.todos().replace(todosOf(steps));
      session?.prompt([{ type: "text", text: approvedPrompt(plan, steps.length > 0) }]);
      return ok({ plan, steps });
    },
    async reject() {
      if (refusal !== undefined) return err({ message: refusal });
      if (!status) return err({ message: "The session is not in plan mode." });
      const before = status;
      await change(undefined);
      return ok(before);
    },
    attach(opened) {
      session = opened;
      if (!status) return;
      opened.emit({ type: "plan.changed", planning: status });
      opened.emit({
        type: "notice",
        level: "info",
        text: `This session is in plan mode: only reading is allowed. ${nextSteps}`,
      });
    },
    headMoved() {
      if (status) changeLater(status);
    },
    companion: {
      before: async () => (status ? [{ type: "text", text: planningNote }] : []),
      added: (part) => part.type === "text" && part.text === planningNote,
      after(_prompt, outcome) {
        if (!status || outcome.reason !== "answered" || outcome.text.trim() === "") return;
        changeLater({ plan: cut(outcome.text, maxPlanChars) });
        session?.emit({ type: "notice", level: "info", text: `This is the plan; nothing was changed. ${nextSteps}` });
      },
    },
  };
}

const maxPlanChars = 100_000;
const nextSteps = "/plan approve carries it out, /plan edit TEXT changes it, /plan reject drops it.";

const planningNote =
  "[Plan mode. Only reading is allowed now: every write and every command with an effect is refused, also in scripts and child agents. Study what you need, ask what only the person knows, then answer with the plan: the approach in a few sentences, a numbered list of steps, and how the result is checked. The person approves, changes or rejects it.]";

function approvedPrompt(plan: string, hasSteps: boolean): string {
  const todos = hasSteps ? " The todo list has its steps: keep it up to date." : "";
  return `${announcedHeads.plan} Carry it out.${todos}\n\nThe plan:\n${plan}`;
}

/** Returns the steps of a plan: its numbered list, or its bullets. Nested items belong to the step above. */
export function planSteps(plan: string): readonly string[] {
  const lines = plan.split("\n");
  const numbered = lines.flatMap((line) => stepIn(/^ {0,3}\d{1,3}[.)]\s+(?<step>.+)$/u, line));
  const steps = numbered.length > 0 ? numbered : lines.flatMap((line) => stepIn(/^ {0,1}[-*+]\s+(?<step>.+)$/u, line));
  return steps.slice(0, maxSteps);
}

const maxSteps = 50;
const maxStepChars = 300;

function stepIn(pattern: RegExp, line: string): readonly string[] {
  const step = pattern.exec(line.slice(0, 10_000))?.groups?.["step"];
  return step === undefined ? [] : [cut(step.replaceAll(/\*\*|`/gu, "").trim(), maxStepChars)];
}

function todosOf(steps: readonly string[]): readonly TodoItem[] {
  return steps.map((content, index) => ({ id: String(index + 1), content, status: "pending" }));
}

function storedPlan(entries: readonly Entry[]): PlanStatus | undefined {
  const last = entries.findLast((entry) => entry.type === "state" && entry.name === planState);
  if (last?.type !== "state" || !isObject(last.value)) return undefined;
  const { plan } = last.value;
  return typeof plan === "string" ? { plan } : {};
}

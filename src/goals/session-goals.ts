import { type JsonValue, parsedJson } from "../base/json.ts";
import { err, ok, reasonOf } from "../base/result.ts";
import { cut } from "../base/text/text.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import type { TurnOutcome } from "../contracts/session/event.ts";
import { goalFields, type GoalsStatus, type SessionGoals } from "../contracts/session/goals.ts";
import type { Entry } from "../contracts/session/session.ts";
import { createGoalDriver } from "./goal-driver.ts";
import type { GoalPorts } from "./goal-ports.ts";
import { readGoalText } from "./goal-texts.ts";
import { createRepeatedPrompts } from "./repeated-prompts.ts";
import { parseContract, readStandingWork, type StoredName } from "./stored-goals.ts";

/** The goal, loop and heartbeat of an open session. Disposing stops the timers; the stored state is kept. */
export interface OpenedGoals extends SessionGoals, AsyncDisposable {
  /** Called when a turn starts: aborts the judge of the previous turn. */
  turnStarts(): void;
  /** Called when a turn is about to end. */
  turnEnds(prompt: readonly ContentPart[], outcome: TurnOutcome): void;
  /** Returns whether Hermes wrote this prompt. */
  isOwn(prompt: readonly ContentPart[]): boolean;
  /**
   * Called when the session switched to another branch. Goals belong to the whole session, so they are stored again
   * there.
   */
  headMoved(): Promise<void>;
}

export function openGoals(entries: readonly Entry[], ports: GoalPorts): OpenedGoals {
  const { conversation, log } = ports;
  const stored = readStandingWork(entries);
  const own = new WeakSet<readonly ContentPart[]>();
  let thinking = new AbortController();
  let last: Promise<void> = Promise.resolve();
  let isClosed = false;

  function send(content: readonly ContentPart[]): void {
    own.add(content);
    conversation.prompt(content);
  }

  async function keep(name: StoredName, value: object | undefined): Promise<void> {
    ports.changed(status());
    try {
      // Safe cast: the value consists of strings, numbers and lists.
      await ports.store(name, (value ?? null) as JsonValue);
    } catch (thrown) {
      log.error("goals.not_stored", { name, error: reasonOf(thrown) });
      ports.notice("error", `The ${name} could not be stored, and ends with this program: ${reasonOf(thrown)}`);
    }
  }

  const goal = createGoalDriver(stored.goal, { ...ports, send, keep: (value) => keep("goal", value) });
  const repeated = createRepeatedPrompts(stored, { ...ports, send, keep });

  function status(): GoalsStatus {
    return {
      ...(goal.goal && { goal: { ...goal.goal, maxTurns: ports.maxTurns } }),
      ...(repeated.loop && { loop: repeated.loop }),
      ...(repeated.heartbeat && { heartbeat: repeated.heartbeat }),
    };
  }

  async function settle(prompt: readonly ContentPart[], outcome: TurnOutcome): Promise<void> {
    await conversation.turn?.done;
    // A queued message is handled first, and its turn is judged instead.
    const isIdle = () => !isClosed && !conversation.turn && conversation.queued.length === conversation.heldPrompts;
    const { signal } = thinking;
    await repeated.advance(prompt, outcome, isIdle(), signal);
    if (!isIdle() || signal.aborted) return;
    await goal.advance(outcome, signal);
    if (isIdle() && !signal.aborted) repeated.fireDue();
  }

  if (stored.goal || stored.loop || stored.heartbeat) {
    goal.restored();
    repeated.restored();
    ports.changed(status());
  }

  return {
    status,
    setGoal: (text, contract) => {
      const read = readGoalText(text);
      return goal.set(read.text, { ...read.contract, ...contract });
    },
    async draft(text, signal) {
      const fault = ports.judgeFault();
      if (fault !== undefined) return err({ message: fault });
      const answered = await ports.ask(draftPrompt(text), draftSchema, signal);
      if (!answered.ok) return answered;
      const value = /\{[\s\S]*\}/u.exec(answered.value)?.[0] ?? "";
      const contract = parseContract(parsedJson(value));
      return Object.keys(contract).length > 0
        ? ok(contract)
        : err({ message: "The model wrote no contract. Try again, or write it yourself." });
    },
    changeGoal: goal.change,
    clearGoal: goal.clear,
    startLoop: repeated.startLoop,
    changeLoop: repeated.changeLoop,
    startHeartbeat: repeated.startHeartbeat,
    stopHeartbeat: repeated.stopHeartbeat,
    isOwn: (prompt) => own.has(prompt),
    turnStarts() {
      thinking.abort();
      thinking = new AbortController();
    },
    turnEnds(prompt, outcome) {
      last = last
        .then(() => settle(prompt, outcome))
        .catch((thrown: unknown) => log.error("goals.failed", { error: reasonOf(thrown) }));
    },
    async headMoved() {
      const now = status();
      for (const name of ["goal", "loop", "heartbeat"] as const) if (now[name]) await keep(name, now[name]);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      thinking.abort();
      goal[Symbol.dispose]();
      repeated[Symbol.dispose]();
      await last;
    },
  };
}

function draftPrompt(text: string): string {
  return [
    "Write the contract of a goal for an agent, so that somebody else can check whether it is reached.",
    `The fields: ${goalFields.join(", ")}. outcome: what is true at the end. verification: how it is checked, with commands where possible. constraints: what must not change. boundaries: what the agent must not touch. stop_when: when it should stop and ask.`,
    "One or two sentences each; leave out a field that has nothing to say. Answer with JSON alone.",
    "",
    `The goal: ${cut(text, 8_000)}`,
  ].join("\n");
}

const draftSchema: JsonValue = {
  type: "object",
  properties: Object.fromEntries(goalFields.map((field) => [field, { type: "string" }])),
};

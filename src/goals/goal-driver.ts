import { err, ok, type Result } from "../base/result.ts";
import { cut, oneLine, plural } from "../base/text/text.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import type { TurnOutcome } from "../contracts/session/event.ts";
import {
  type Goal,
  type GoalChange,
  type GoalContract,
  goalLimits,
  type GoalWait,
} from "../contracts/session/goals.ts";
import { createGateKeeper, maxGateFailures } from "./goal-gates.ts";
import { judgePrompt, readVerdict, type GoalVerdict, verdictSchema } from "./goal-judge.ts";
import type { GoalPorts } from "./goal-ports.ts";
import { firstPrompt, gatePrompt, nextPrompt } from "./goal-texts.ts";
import { isHolding, lookAgainMs, waitText } from "./goal-wait.ts";

/** The goal of a session. Decides after each turn whether the goal is reached or another turn starts. */
export interface GoalDriver extends Disposable {
  readonly goal: Goal | undefined;
  set(text: string, contract: GoalContract): Promise<Result<Goal>>;
  change(change: GoalChange): Promise<Result<Goal>>;
  clear(): Promise<Result<Goal>>;
  /**
   * Called when the conversation is idle after a turn: judges the turn, and starts the next one if the goal is not
   * reached.
   */
  advance(outcome: TurnOutcome, signal: AbortSignal): Promise<void>;
  /** Called when a program opens the session again: no turn starts until the user continues the goal. */
  restored(): void;
}

export interface GoalDriverDeps extends GoalPorts {
  /** Stores the goal and notifies listeners. */
  keep(goal: Goal | undefined): Promise<void>;
  /** Starts a turn with a prompt that Hermes wrote. */
  send(content: readonly ContentPart[]): void;
}

const noFaults = { unreadable: 0, failed: 0 };
const maxUnreadable = 3;
const maxFailed = 5;

export function createGoalDriver(stored: Goal | undefined, deps: GoalDriverDeps): GoalDriver {
  const { clock, maxTurns } = deps;
  const closing = new AbortController();
  const gates = createGateKeeper(deps);
  let goal = stored;
  let timer: Disposable | undefined;
  /** True until the user continues the goal after the session was opened again. */
  let isHeld = false;

  async function keep(next: Goal): Promise<Goal> {
    goal = next;
    await deps.keep(next);
    return next;
  }

  async function pause(reason: string): Promise<void> {
    if (!goal) return;
    const { wait: _, ...rest } = goal;
    await keep({ ...rest, state: "paused", reason });
    deps.notice("warn", `The goal is paused: ${reason} /goal resume continues it.`);
  }

  /** Returns false if the conversation continued meanwhile, so that no prompt is sent. */
  function isIdle(): boolean {
    const { turn, queued, heldPrompts } = deps.conversation;
    return !turn && queued.length === heldPrompts && !closing.signal.aborted;
  }

  function proceed(text: string): void {
    if (isIdle()) deps.send([{ type: "text", text }]);
  }

  /** Returns `changed` if the user changed the goal meanwhile. Returns undefined if there is no verdict to act on. */
  async function judged(
    current: Goal,
    answer: string,
    signal: AbortSignal,
  ): Promise<GoalVerdict | "changed" | undefined> {
    const processes = await deps.processes(signal);
    const passed = current.gates.map(({ command }) => command);
    const answered = await deps.ask(judgePrompt(current, { answer, processes, passed }), verdictSchema, signal);
    if (signal.aborted) return undefined;
    if (goal !== current) return "changed";
    const verdict = answered.ok ? readVerdict(answered.value, current, clock.now()) : undefined;
    if (verdict) {
      await keep({ ...current, faults: noFaults });
      return verdict;
    }
    // A failing judge does not stop the work, unless it fails repeatedly.
    const { unreadable, failed } = current.faults;
    const faults = answered.ok ? { unreadable: unreadable + 1, failed: 0 } : { unreadable: 0, failed: failed + 1 };
    await keep({ ...current, faults });
    if (faults.unreadable >= maxUnreadable) {
      await pause(`the verdict of the judge could not be parsed ${faults.unreadable} times in a row.`);
      return undefined;
    }
    if (faults.failed >= maxFailed) {
      const why = answered.ok ? "" : ` (${oneLine(answered.error.message, 200)})`;
      await pause(`the judge failed to answer ${faults.failed} times in a row${why}.`);
      return undefined;
    }
    return {
      kind: "continue",
      reason: answered.ok
        ? "There was no verdict. Check the goal yourself."
        : "The judge did not answer. Check the goal yourself.",
    };
  }

  /** Judges the turn, and judges it again if the user changes the goal meanwhile. */
  async function judgedUnchanged(answer: string, signal: AbortSignal): Promise<GoalVerdict | undefined> {
    if (goal?.state !== "active" || goal.wait) return undefined;
    const verdict = await judged(goal, answer, signal);
    return verdict === "changed" ? judgedUnchanged(answer, signal) : verdict;
  }

  /** Runs the gates in order. Returns true if all of them passed. */
  async function passesGates(current: Goal, signal: AbortSignal): Promise<boolean> {
    if (current.gates.length === 0) return true;
    const { gates: next, failure } = await gates.check(current, signal);
    if (signal.aborted || goal !== current) return false;
    const kept = await keep({ ...current, gates: next });
    if (!failure) return true;
    const { gate, run, isReplayed } = failure;
    const name = `"${oneLine(gate.command, 80)}"`;
    if (run.how === "denied") await pause(`the check ${name} may not run: ${oneLine(run.why, 300)}`);
    else if (gate.failures > maxGateFailures) await pause(`the check ${name} failed ${gate.failures} times in a row.`);
    else if (deps.judgeFault() !== undefined) await pause(`the check ${name} fails. ${deps.judgeFault()}`);
    else if (kept.turns >= maxTurns) await pause(budgetText());
    else {
      const again = isReplayed ? " Nothing was changed since, so it did not run again." : "";
      deps.notice("info", `Goal: the check ${name} fails (${gate.failures} of ${maxGateFailures + 1}).${again}`);
      proceed(gatePrompt(kept, gate.command, run.output));
    }
    return false;
  }

  const budgetText = () => `${plural(maxTurns, "turn")} are used up (goals.max_turns).`;

  async function follow(verdict: GoalVerdict): Promise<void> {
    if (!goal) return;
    if (verdict.kind === "done") {
      await keep({ ...goal, state: "done", reason: verdict.reason });
      return deps.notice("info", `The goal is reached after ${plural(goal.turns, "turn")}: ${verdict.reason}`);
    }
    if (verdict.kind === "wait") return park(verdict.wait, verdict.reason);
    const kept = await keep({ ...goal, reason: verdict.reason });
    if (kept.turns >= maxTurns) return pause(`${budgetText()} The last verdict: ${verdict.reason}`);
    deps.notice("info", `Goal, turn ${kept.turns + 1} of ${maxTurns}: ${verdict.reason}`);
    return proceed(nextPrompt(kept, verdict.reason, maxTurns));
  }

  async function park(wait: GoalWait, reason: string): Promise<void> {
    if (!goal) return;
    const startTime = wait.kind === "pid" ? deps.startOf(wait.pid) : undefined;
    await keep({ ...goal, wait: startTime === undefined ? wait : ({ ...wait, startTime } as GoalWait), reason });
    deps.notice(
      "info",
      `The goal waits ${waitText(wait, clock.now())}. It costs nothing meanwhile; /goal unwait ends the wait.`,
    );
    watch();
  }

  /** Checks at intervals whether the wait is over. */
  function watch(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (goal?.wait === undefined || goal.state !== "active" || closing.signal.aborted) return;
    const { wait } = goal;
    timer = clock.after(lookAgainMs(wait, clock.now()), () => void look(wait));
  }

  async function look(wait: GoalWait): Promise<void> {
    const holds = await isHolding(wait, deps, closing.signal).catch(() => true);
    if (goal?.wait !== wait || closing.signal.aborted) return;
    if (holds) return watch();
    await endWait(`The wait ${waitText(wait, clock.now())} is over.`);
  }

  async function endWait(why: string): Promise<void> {
    if (!goal) return;
    timer?.[Symbol.dispose]();
    const { wait: _, ...rest } = goal;
    const kept = await keep(rest);
    if (isHeld || kept.state !== "active") return;
    deps.notice("info", `Goal: ${why}`);
    proceed(nextPrompt(kept, why, maxTurns));
  }

  return {
    get goal() {
      return goal;
    },
    async set(text, contract) {
      if (text.trim() === "") return err({ message: "A goal needs a text." });
      isHeld = false;
      const kept = await keep({
        text: cut(text, goalLimits.chars),
        contract,
        subgoals: [],
        gates: [],
        state: "active",
        turns: 0,
        faults: noFaults,
        startedAt: clock.now(),
      });
      watch();
      deps.send([{ type: "text", text: firstPrompt(kept) }]);
      return ok(kept);
    },
    async change(change) {
      if (!goal) return err({ message: "There is no goal. /goal TEXT sets one." });
      const next = changed(goal, change);
      if (!next.ok) return next;
      if (change.kind === "wait") {
        if (!(await isHolding(change.wait, deps, closing.signal).catch(() => false)))
          return err({ message: "There is nothing to wait for: no such process runs." });
        await park(change.wait, "You asked to wait.");
        return ok(goal);
      }
      const kept = await keep(next.value);
      if (change.kind === "unwait") await endWait("You ended the wait.");
      if (change.kind === "pause") timer?.[Symbol.dispose]();
      if (change.kind === "resume") {
        isHeld = false;
        if (kept.wait) watch();
        else proceed(nextPrompt(kept, kept.reason ?? "The person continues the goal.", maxTurns));
      }
      return ok(goal ?? kept);
    },
    async clear() {
      if (!goal) return err({ message: "There is no goal." });
      const cleared = goal;
      goal = undefined;
      timer?.[Symbol.dispose]();
      await deps.keep(undefined);
      return ok(cleared);
    },
    async advance(outcome, signal) {
      if (goal?.state !== "active" || goal.wait) return;
      isHeld = false;
      if (outcome.reason === "aborted") return pause("you stopped the turn.");
      if (outcome.reason !== "answered")
        return pause(`the turn ended without an answer: ${oneLine(outcome.why ?? outcome.reason, 300)}`);
      const current = await keep({ ...goal, turns: goal.turns + 1 });
      if (!(await passesGates(current, signal)) || signal.aborted) return;
      const fault = deps.judgeFault();
      if (fault !== undefined) {
        if (goal.gates.length === 0) return pause(fault);
        return follow({ kind: "done", reason: "All checks pass." });
      }
      const verdict = await judgedUnchanged(outcome.text, signal);
      if (verdict && isIdle()) await follow(verdict);
    },
    restored() {
      if (!goal || goal.state !== "active") return;
      isHeld = true;
      const about = oneLine(goal.text, 80);
      deps.notice(
        "info",
        `This session has a goal: "${about}". It continues after your next message; /goal resume continues it now.`,
      );
      watch();
    },
    [Symbol.dispose]() {
      closing.abort();
      timer?.[Symbol.dispose]();
    },
  };
}

/** Applies the user's change to the goal, without starting or stopping anything. */
function changed(goal: Goal, change: GoalChange): Result<Goal> {
  const { wait: _, reason, ...free } = goal;
  switch (change.kind) {
    case "pause":
      if (goal.state === "done") return err({ message: "The goal is reached already." });
      return ok({ ...goal, state: "paused", reason: "You paused it." });
    case "resume":
      if (goal.state === "done") return err({ message: "The goal is reached. /goal TEXT sets a new one." });
      return ok({
        ...goal,
        state: "active",
        turns: 0,
        faults: noFaults,
        gates: goal.gates.map((gate) => ({ ...gate, failures: 0 })),
      });
    case "unwait":
      return goal.wait
        ? ok({ ...free, ...(reason !== undefined && { reason }) })
        : err({ message: "The goal does not wait." });
    case "wait":
      return goal.state === "active" ? ok(goal) : err({ message: "The goal is not active." });
    case "addSubgoal":
      return added(goal, "subgoals", change.text, [...goal.subgoals, cut(change.text.trim(), goalLimits.chars)]);
    case "removeSubgoal":
      return removed(goal, "subgoals", change.place, goal.subgoals);
    case "clearSubgoals":
      return ok({ ...goal, subgoals: [] });
    case "addGate":
      return added(goal, "gates", change.command, [
        ...goal.gates,
        { command: cut(change.command.trim(), goalLimits.chars), failures: 0 },
      ]);
    case "removeGate":
      return removed(goal, "gates", change.place, goal.gates);
  }
}

function added<Name extends "subgoals" | "gates">(
  goal: Goal,
  name: Name,
  text: string,
  list: Goal[Name],
): Result<Goal> {
  if (text.trim() === "") return err({ message: "The text is empty." });
  if (list.length > goalLimits.items) return err({ message: `A goal has at most ${goalLimits.items} of them.` });
  return ok({ ...goal, [name]: list });
}

function removed<Name extends "subgoals" | "gates">(
  goal: Goal,
  name: Name,
  place: number,
  list: readonly unknown[],
): Result<Goal> {
  if (place < 1 || place > list.length)
    return err({ message: `There is no number ${place}; there are ${list.length}.` });
  return ok({ ...goal, [name]: list.toSpliced(place - 1, 1) });
}

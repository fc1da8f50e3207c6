import { err, ok, type Result } from "../base/result.ts";
import { oneLine, plural } from "../base/text/text.ts";
import { durationText } from "../base/text/time-text.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import type { TurnOutcome } from "../contracts/session/event.ts";
import {
  type Heartbeat,
  type LoopWish,
  maxRepeatMs,
  minHeartbeatMs,
  minLoopMs,
  type PromptLoop,
} from "../contracts/session/goals.ts";
import { notFromPerson } from "../contracts/session/program-prompt.ts";
import { readVerdict, verdictSchema } from "./goal-judge.ts";
import type { GoalPorts } from "./goal-ports.ts";
import { maxTimerMs } from "./goal-wait.ts";
import { conditionGoal, isLastRun, loopPrompt, untilPrompt } from "./loop-texts.ts";
import type { StandingWork } from "./stored-goals.ts";

/** The loop and the heartbeat of a session. */
export interface RepeatedPrompts extends Disposable {
  readonly loop: PromptLoop | undefined;
  readonly heartbeat: Heartbeat | undefined;
  startLoop(wish: LoopWish): Promise<Result<PromptLoop>>;
  changeLoop(change: "pause" | "resume" | "stop"): Promise<Result<PromptLoop>>;
  startHeartbeat(wish: Pick<Heartbeat, "prompt" | "everyMs">): Promise<Result<Heartbeat>>;
  stopHeartbeat(): Promise<Result<Heartbeat>>;
  /** Called when a turn has ended. `isIdle` is true if no message is queued. */
  advance(prompt: readonly ContentPart[], outcome: TurnOutcome, isIdle: boolean, signal: AbortSignal): Promise<void>;
  /** Starts prompts that are due, if the conversation is idle. */
  fireDue(): void;
  /** Called when a program opens the session again. */
  restored(): void;
}

export interface RepeatedPromptsDeps extends GoalPorts {
  keep(name: "loop" | "heartbeat", value: PromptLoop | Heartbeat | undefined): Promise<void>;
  send(content: readonly ContentPart[]): void;
}

export function createRepeatedPrompts(
  stored: Pick<StandingWork, "loop" | "heartbeat">,
  deps: RepeatedPromptsDeps,
): RepeatedPrompts {
  const { clock, conversation } = deps;
  let { loop, heartbeat } = stored;
  let isClosed = false;
  /** The prompt of the run that has not ended yet. */
  let running: readonly ContentPart[] | undefined;
  let timer: Disposable | undefined;

  async function keepLoop(next: PromptLoop | undefined): Promise<void> {
    loop = next;
    arm();
    await deps.keep("loop", next);
  }

  async function keepHeartbeat(next: Heartbeat | undefined): Promise<void> {
    heartbeat = next;
    arm();
    await deps.keep("heartbeat", next);
  }

  async function pause(reason: string): Promise<void> {
    if (!loop) return;
    await keepLoop({ ...loop, state: "paused", reason });
    deps.notice("warn", `The loop is paused: ${reason} /loop resume continues it.`);
  }

  async function end(reason: string): Promise<void> {
    if (!loop) return;
    const { runs } = loop;
    await keepLoop(undefined);
    deps.notice("info", `The loop has ended after ${plural(runs, "run")}: ${reason}`);
  }

  /** One timer for the next prompt that is due. */
  function arm(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (isClosed) return;
    const times = [
      ...(loop?.state === "active" && !running ? [loop.nextAt] : []),
      ...(heartbeat ? [heartbeat.nextAt] : []),
    ];
    if (times.length === 0) return;
    const ms = Math.max(0, Math.min(...times) - clock.now());
    // A run that is already due starts after the turn has ended.
    if (ms === 0 && !isIdle()) return;
    timer = clock.after(Math.min(ms, maxTimerMs), fireDue);
  }

  function isIdle(): boolean {
    return !conversation.turn && conversation.queued.length === conversation.heldPrompts && !isClosed;
  }

  function fireDue(): void {
    const now = clock.now();
    if (isIdle() && loop?.state === "active" && !running && loop.nextAt <= now) return runLoop(loop, now);
    if (isIdle() && heartbeat && heartbeat.nextAt <= now) return beat(heartbeat, now);
    arm();
  }

  function runLoop(due: PromptLoop, now: number): void {
    const next = { ...due, runs: due.runs + 1, nextAt: nextTime(due.nextAt, due.everyMs ?? 0, now) };
    running = [{ type: "text", text: loopPrompt(next) }];
    void keepLoop(next);
    deps.send(running);
  }

  function beat(due: Heartbeat, now: number): void {
    void keepHeartbeat({ ...due, runs: due.runs + 1, nextAt: nextTime(due.nextAt, due.everyMs, now) });
    deps.send([
      {
        type: "text",
        text: `[Heartbeat, every ${durationText(due.everyMs)}. ${notFromPerson}]\n${due.prompt}`,
      },
    ]);
  }

  async function afterRun(ended: PromptLoop, outcome: TurnOutcome, signal: AbortSignal): Promise<void> {
    if (outcome.reason === "aborted") return pause("you stopped the turn.");
    if (outcome.reason !== "answered")
      return pause(`the turn ended without an answer: ${oneLine(outcome.why ?? outcome.reason, 300)}`);
    if (isLastRun(outcome.text)) return end("the agent says that nothing is left to do.");
    if (ended.times !== undefined && ended.runs >= ended.times) return end("all runs are done.");
    const { until } = ended;
    if (until === undefined) return;
    const answered = await deps.ask(untilPrompt(until, outcome.text), verdictSchema, signal);
    if (signal.aborted || loop !== ended) return;
    const verdict = answered.ok ? readVerdict(answered.value, conditionGoal(until), clock.now()) : undefined;
    if (verdict?.kind === "done") return end(verdict.reason);
    if (!answered.ok)
      deps.notice("warn", `The condition of the loop was not checked: ${oneLine(answered.error.message, 200)}`);
  }

  return {
    get loop() {
      return loop;
    },
    get heartbeat() {
      return heartbeat;
    },
    async startLoop(wish) {
      const { prompt, everyMs, times, until } = wish;
      const fault = loopFault(wish, deps);
      if (fault !== undefined) return err({ message: fault });
      const isEndless = everyMs === undefined && times === undefined;
      running = undefined;
      const created: PromptLoop = {
        prompt,
        ...(everyMs !== undefined && { everyMs }),
        runs: 0,
        ...(isEndless ? { times: deps.maxTurns } : times !== undefined && { times }),
        ...(until !== undefined && { until }),
        state: "active",
        nextAt: clock.now(),
      };
      await keepLoop(created);
      fireDue();
      return ok(loop ?? created);
    },
    async changeLoop(change) {
      if (!loop) return err({ message: "There is no loop. /loop PROMPT starts one." });
      const before = loop;
      if (change === "stop") await keepLoop(undefined);
      else if (change === "pause") await keepLoop({ ...before, state: "paused", reason: "You paused it." });
      else {
        const { reason: _, ...rest } = before;
        await keepLoop({ ...rest, state: "active", nextAt: clock.now() });
        fireDue();
      }
      return ok(loop ?? before);
    },
    async startHeartbeat({ prompt, everyMs }) {
      if (everyMs < minHeartbeatMs)
        return err({ message: `A heartbeat is at least ${durationText(minHeartbeatMs)} apart.` });
      if (everyMs > maxRepeatMs) return err({ message: "A heartbeat is at most 30 days apart." });
      const created: Heartbeat = { prompt, everyMs, runs: 0, nextAt: clock.now() + everyMs };
      await keepHeartbeat(created);
      return ok(created);
    },
    async stopHeartbeat() {
      if (!heartbeat) return err({ message: "There is no heartbeat." });
      const before = heartbeat;
      await keepHeartbeat(undefined);
      return ok(before);
    },
    async advance(prompt, outcome, isNoneWaiting, signal) {
      if (prompt !== running) return;
      running = undefined;
      // A message that stopped the run is handled first, and the loop continues afterwards.
      const isPreempted = outcome.reason === "aborted" && !isNoneWaiting;
      if (loop?.state === "active" && !isPreempted) await afterRun(loop, outcome, signal);
      arm();
    },
    fireDue,
    restored() {
      if (loop?.state === "active" && loop.everyMs === undefined) {
        loop = { ...loop, state: "paused", reason: "The session was left." };
        deps.notice("info", "The loop of this session is paused. /loop resume continues it.");
      }
      arm();
    },
    [Symbol.dispose]() {
      isClosed = true;
      timer?.[Symbol.dispose]();
    },
  };
}

/** The next run at the interval. If several runs were missed, only one is made up for. */
function nextTime(dueAt: number, everyMs: number, now: number): number {
  if (everyMs === 0) return now;
  return dueAt + everyMs * (Math.floor(Math.max(0, now - dueAt) / everyMs) + 1);
}

function loopFault({ everyMs, times, until }: Omit<LoopWish, "prompt">, deps: GoalPorts): string | undefined {
  if (everyMs !== undefined && everyMs < minLoopMs) return `A loop is at least ${durationText(minLoopMs)} apart.`;
  if (everyMs !== undefined && everyMs > maxRepeatMs) return "A loop is at most 30 days apart.";
  if (times !== undefined && (!Number.isSafeInteger(times) || times < 1)) return "--times needs a number from 1.";
  return until === undefined ? undefined : deps.judgeFault();
}

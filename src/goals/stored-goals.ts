import { isObject, type JsonValue } from "../base/json.ts";
import { cut } from "../base/text/text.ts";
import {
  type Goal,
  type GoalContract,
  goalFields,
  type GoalGate,
  goalLimits,
  type GoalWait,
  type Heartbeat,
  type PromptLoop,
} from "../contracts/session/goals.ts";
import type { Entry } from "../contracts/session/session.ts";

/** The names of the state entries. */
export type StoredName = "goal" | "loop" | "heartbeat";

export interface StandingWork {
  readonly goal: Goal | undefined;
  readonly loop: PromptLoop | undefined;
  readonly heartbeat: Heartbeat | undefined;
}

/** Parses the state that an earlier program stored. An invalid value counts as missing. */
export function readStandingWork(entries: readonly Entry[]): StandingWork {
  return {
    goal: goalIn(lastValue(entries, "goal")),
    loop: loopIn(lastValue(entries, "loop")),
    heartbeat: heartbeatIn(lastValue(entries, "heartbeat")),
  };
}

function lastValue(entries: readonly Entry[], name: StoredName): JsonValue | undefined {
  const last = entries.findLast((entry) => entry.type === "state" && entry.name === name);
  return last?.type === "state" ? last.value : undefined;
}

function goalIn(value: unknown): Goal | undefined {
  if (!isObject(value) || typeof value["text"] !== "string") return undefined;
  const { state, reason, turns, startedAt } = value;
  const wait = waitIn(value["wait"]);
  const faults = isObject(value["faults"]) ? value["faults"] : {};
  return {
    text: cut(value["text"], goalLimits.chars),
    contract: parseContract(value["contract"]),
    subgoals: listIn(value["subgoals"]).flatMap((each) => (typeof each === "string" ? [each] : [])),
    gates: listIn(value["gates"]).flatMap(gateIn),
    state: state === "active" || state === "done" ? state : "paused",
    ...(typeof reason === "string" && { reason }),
    ...(wait && { wait }),
    turns: count(turns),
    faults: { unreadable: count(faults["unreadable"]), failed: count(faults["failed"]) },
    startedAt: count(startedAt),
  };
}

/** The known fields of a contract, as text. */
export function parseContract(value: unknown): GoalContract {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    goalFields.flatMap((field) => {
      const text = value[field];
      return typeof text === "string" && text.trim() !== "" ? [[field, cut(text.trim(), goalLimits.chars)]] : [];
    }),
  );
}

function gateIn(value: unknown): readonly GoalGate[] {
  if (!isObject(value) || typeof value["command"] !== "string") return [];
  return [{ command: value["command"], failures: count(value["failures"]) }];
}

function waitIn(value: unknown): GoalWait | undefined {
  if (!isObject(value)) return undefined;
  const { kind, pid, startTime, id, until } = value;
  if (kind === "pid" && typeof pid === "number")
    return { kind, pid, ...(typeof startTime === "string" && { startTime }) };
  if (kind === "process" && typeof id === "string") return { kind, id };
  return kind === "time" && typeof until === "number" ? { kind, until } : undefined;
}

function loopIn(value: unknown): PromptLoop | undefined {
  if (!isObject(value) || typeof value["prompt"] !== "string") return undefined;
  const { prompt, everyMs, runs, times, until, state, reason, nextAt } = value;
  return {
    prompt,
    ...(typeof everyMs === "number" && { everyMs }),
    runs: count(runs),
    ...(typeof times === "number" && { times }),
    ...(typeof until === "string" && { until }),
    state: state === "active" ? state : "paused",
    ...(typeof reason === "string" && { reason }),
    nextAt: count(nextAt),
  };
}

function heartbeatIn(value: unknown): Heartbeat | undefined {
  if (!isObject(value) || typeof value["prompt"] !== "string" || typeof value["everyMs"] !== "number") return undefined;
  return {
    prompt: value["prompt"],
    everyMs: value["everyMs"],
    runs: count(value["runs"]),
    nextAt: count(value["nextAt"]),
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, goalLimits.items) : [];
}

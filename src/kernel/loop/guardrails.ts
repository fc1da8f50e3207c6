import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { canonicalJson } from "../../base/json.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";

/**
 * Detects tool calls that repeat without progress in one turn: warns first, then refuses, and finally ends the turn.
 */
export interface Guardrails {
  /**
   * Called before the calls of the next answer. Several failures in one answer count once, because the model has not
   * seen them yet.
   */
  begin(): void;
  /** Returns why the call must not run again. */
  refusal(call: ToolCall): string | undefined;
  /** Records the outcome of a call. Returns advice for the model, which is added to the result. */
  remark(call: ToolCall, tool: Pick<Tool, "traits"> | undefined, result: ToolResult): string | undefined;
  /** The reason why the turn should end, as text for a person. */
  readonly halt: string | undefined;
}

export interface GuardrailLimits {
  readonly sameFailureWarn: number;
  readonly sameFailureRefuse: number;
  readonly toolFailureWarn: number;
  readonly toolFailureHalt: number;
  readonly sameResultWarn: number;
  readonly sameResultRefuse: number;
  /**
   * The limits for consecutive calls that may change something. They are higher, because a model that waits for
   * something polls often.
   */
  readonly sameActionWarn: number;
  readonly sameActionRefuse: number;
  /** The limits for rounds of the same few calls with the same results in the same order. */
  readonly sameRoundWarn: number;
  readonly sameRoundRefuse: number;
  readonly refusedHalt: number;
}

const defaultGuardrails: GuardrailLimits = {
  sameFailureWarn: 2,
  sameFailureRefuse: 5,
  toolFailureWarn: 4,
  toolFailureHalt: 15,
  sameResultWarn: 3,
  sameResultRefuse: 5,
  sameActionWarn: 12,
  sameActionRefuse: 30,
  sameRoundWarn: 8,
  sameRoundRefuse: 20,
  refusedHalt: 3,
};

/**
 * Counts repetitions that bring nothing new. A call that changes something resets the count: a test that fails ten
 * times between ten edits is work and not a loop. A command that runs again immediately and prints the same text counts
 * too.
 */
export function createGuardrails(
  clock?: Pick<Clock, "elapsed">,
  limits: GuardrailLimits = defaultGuardrails,
): Guardrails {
  const failures = new Map<string, number>();
  const toolFailures = new Map<string, number>();
  const results = new Map<string, Repeated>();
  const rounds = createRounds();
  let lastKey = "";
  /** The failures that are already counted for this answer. */
  const counted = new Set<string>();
  let refused = 0;
  let halt: string | undefined;

  function failed(key: string, name: string): string | undefined {
    const same = (failures.get(key) ?? 0) + 1;
    const ofTool = (toolFailures.get(name) ?? 0) + once(name);
    failures.set(key, same);
    toolFailures.set(name, ofTool);
    if (ofTool >= limits.toolFailureHalt) halt = `${name} failed ${ofTool} times in a row`;
    if (same >= limits.sameFailureWarn) {
      return warning(`this same call has failed ${same} times`, "change the arguments or try another approach");
    }
    if (ofTool >= limits.toolFailureWarn) {
      return warning(`${name} has failed ${ofTool} times in a row`, "read the errors again before the next call");
    }
    return undefined;
  }

  function once(what: string): 0 | 1 {
    if (counted.has(what)) return 0;
    counted.add(what);
    return 1;
  }

  function goneRound(): string | undefined {
    const { times, keys } = rounds.current();
    if (times < limits.sameRoundWarn) return undefined;
    return warning(`the same ${keys.length} calls have repeated ${times} times`, "try another approach");
  }

  function repeated(key: string, digest: string, isAction: boolean): string | undefined {
    const before = results.get(key);
    const endedAt = clock?.elapsed() ?? 0;
    const weight = before && endedAt - before.endedAt >= pacedMs ? pacedWeight : 1;
    // A read that alternates between earlier results brings nothing new. An action may have to run again.
    const isKnown = isAction ? before?.digests.at(-1) === digest : before?.digests.includes(digest);
    const times = isKnown ? (before?.times ?? 0) + weight : isAction ? 1 : (before?.times ?? 1);
    const digests = [...(before?.digests ?? []).filter((each) => each !== digest), digest].slice(-maxDigests);
    results.set(key, { digests, times, isAction, endedAt });
    if (times < (isAction ? limits.sameActionWarn : limits.sameResultWarn)) return undefined;
    return warning(`this same call has returned the same result ${Math.floor(times)} times`, "use that result");
  }

  return {
    begin: () => counted.clear(),
    refusal(call) {
      const key = keyOf(call);
      const fails = failures.get(key) ?? 0;
      const { times, isAction } = results.get(key) ?? { times: 0, isAction: false };
      const maxRepeats = isAction ? limits.sameActionRefuse : limits.sameResultRefuse;
      const round = rounds.current();
      const isRound = round.times >= limits.sameRoundRefuse && round.keys.includes(key);
      if (fails < limits.sameFailureRefuse && times < maxRepeats && !isRound) return undefined;
      refused += once("");
      if (refused >= limits.refusedHalt) halt = `${call.name} was called repeatedly with the same arguments`;
      if (isRound) {
        return `Not run: the same ${round.keys.length} calls have repeated ${round.times} times with the same results. Try another approach, or tell the user what blocks you.`;
      }
      return fails >= limits.sameFailureRefuse
        ? `Not run: this same call has failed ${fails} times and nothing changed since. Try another approach, or tell the user what blocks you.`
        : `Not run: this same call has returned the same result ${Math.floor(times)} times. Use that result.`;
    },
    remark(call, tool, result) {
      const key = keyOf(call);
      if (!result.ok) {
        const { kind } = result.error;
        return kind === "aborted" || kind === "denied" ? undefined : failed(key, call.name);
      }
      failures.delete(key);
      toolFailures.delete(call.name);
      refused = 0;
      const before = lastKey === key ? results.get(key) : undefined;
      lastKey = key;
      const digest = sha256(JSON.stringify(result.value.content).replaceAll(durations, ""));
      rounds.add(key, digest);
      if (tool?.traits.readOnly) return repeated(key, digest, false) ?? goneRound();
      failures.clear();
      results.clear();
      if (before) results.set(key, before);
      return repeated(key, digest, true) ?? goneRound();
    },
    get halt() {
      return halt;
    },
  };
}

/** Durations differ in each result and are ignored. */
const durations = /_ms\\?":\s*\d+/gu;

/** A model that pauses this long before it repeats a call is waiting for something, so the limit is higher. */
const pacedMs = 5_000;
const pacedWeight = 0.25;

/** The number of different results of one call that are remembered. */
const maxDigests = 20;

interface Repeated {
  /** The results so far, newest last. */
  readonly digests: readonly string[];
  readonly times: number;
  readonly isAction: boolean;
  readonly endedAt: number;
}

function warning(what: string, advice: string): string {
  return `[Loop warning: ${what}; ${advice}.]`;
}

function keyOf({ name, args }: ToolCall): string {
  return `${name} ${typeof args === "string" ? args : canonicalJson(args)}`;
}

/** Detects calls that repeat in the same order with the same results: A, B, A, B … */
interface Rounds {
  add(key: string, answer: string): void;
  /** Returns the calls of the current round, and how often the round was repeated. */
  current(): { readonly times: number; readonly keys: readonly string[] };
}

/** The numbers of calls that a round can have. Repeated single calls are counted separately. */
const roundLengths = [2, 3, 4] as const;

function createRounds(): Rounds {
  let last: readonly { readonly key: string; readonly answer: string }[] = [];
  const same = new Map<number, number>();

  return {
    add(key, answer) {
      for (const length of roundLengths) {
        const before = last.at(-length);
        const isSame = before?.key === key && before.answer === answer;
        same.set(length, isSame ? (same.get(length) ?? 0) + 1 : 0);
      }
      last = [...last, { key, answer }].slice(-Math.max(...roundLengths));
    },
    current() {
      for (const length of roundLengths) {
        const calls = last.slice(-length);
        const keys = [...new Set(calls.map((call) => call.key))];
        const times = Math.floor((same.get(length) ?? 0) / length) + 1;
        if (times > 1 && keys.length > 1) return { times, keys };
      }
      return { times: 0, keys: [] };
    },
  };
}

import { isObject } from "../base/json.ts";
import { cut } from "../base/text/text.ts";
import type { FailureMark, Learning, LearningStore } from "../contracts/knowledge/learning.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { PendingCall } from "../contracts/tool/dispatch.ts";
import type { ToolResult } from "../contracts/tool/tool.ts";
import { type Attempt, commandWords } from "./attempt.ts";
import { failureMark } from "./failure-mark.ts";
import { findFix } from "./find-fix.ts";

export interface LearnerDeps {
  /** Opened at the first failure. */
  store(): Promise<LearningStore>;
  readonly who: Principal;
  /** Whether the text contains a secret or an injected instruction, and must not be stored. */
  isUnfit(text: string): Promise<boolean>;
  /** Reports a failure to learn, which never affects the call. */
  readonly failed: (thrown: unknown) => void;
}

/** Learns from the calls of one session, in their order. */
export interface Learner {
  /** Called after each call. Returns a hint for the model if the call failed in a known way. Never rejects. */
  heard(call: PendingCall, result: ToolResult): Promise<string | undefined>;
}

interface OpenFailure {
  readonly mark: FailureMark;
  readonly attempt: Attempt;
  readonly at: number;
  readonly shown?: Learning;
}

/** After this many calls, a success is no longer related to the failure. */
const patience = 8;
const mostOpen = 20;
/** Maximum stored characters of a failed command. */
const mostChars = 1_000;

export function createLearner({ store, who, isUnfit, failed }: LearnerDeps): Learner {
  let attempts: { readonly attempt: Attempt; readonly at: number }[] = [];
  let open: OpenFailure[] = [];
  let count = 0;

  async function note(call: PendingCall, result: ToolResult): Promise<string | undefined> {
    const attempt = attemptOf(call);
    if (!attempt) return undefined;
    const offset = count++;
    open = open.filter((each) => offset - each.at <= patience);
    const output = failureText(result);
    if (output === undefined) {
      // Untrusted text may have caused it: do not learn from that.
      if (open.length > 0 && (call.scope.taint?.sources().length ?? 0) === 0) await worked(attempt, offset);
      attempts = [...attempts, { attempt, at: offset }].slice(-patience);
      return undefined;
    }
    const mark = failureMark(attempt, output, placeOf(call));
    if (mark.error === "") return undefined;
    const learnings = await store();
    const again = open.find((each) => each.shown && isSame(each.mark, mark));
    if (again?.shown) await learnings.doubt(again.shown.id, who);
    const learning = await learnings.find(mark, who);
    const shown = learning && learning.id !== again?.shown?.id ? learning : undefined;
    open = [...open.filter((each) => each !== again), { mark, attempt, at: offset, ...(shown && { shown }) }].slice(
      -mostOpen,
    );
    return shown && remarkOf(shown);
  }

  async function worked(attempt: Attempt, index: number): Promise<void> {
    const settled = new Set<OpenFailure>();
    for (const failure of open.toReversed()) {
      const between = attempts.filter((each) => each.at > failure.at && each.at < index).map((each) => each.attempt);
      const fix = findFix(failure.attempt, between, attempt);
      if (fix === undefined) continue;
      settled.add(failure);
      const { text } = failure.attempt;
      if (await isUnfit([text, failure.mark.error, fix].join("\n"))) continue;
      await (await store()).learn(failure.mark, { failed: cut(text, mostChars), fix }, who);
    }
    open = open.filter((failure) => !settled.has(failure));
  }

  return {
    async heard(call, result) {
      try {
        return await note(call, result);
      } catch (thrown) {
        failed(thrown);
        return undefined;
      }
    },
  };
}

function remarkOf({ fix, worked, failedAgain }: Learning): string {
  const times = `${worked} of ${worked + failedAgain} ${worked + failedAgain === 1 ? "time" : "times"}`;
  return `[From earlier work: when this failed before, this worked (${times}): ${fix}]`;
}

function isSame(one: FailureMark, other: FailureMark): boolean {
  return one.tool === other.tool && one.program === other.program && one.error === other.error;
}

function placeOf({ scope: { place } }: PendingCall): string {
  return `${place.backend} ${place.backend === "local" ? process.platform : ""}`.trim();
}

/** Commands and other tools except file tools: file content does not help next time. */
function attemptOf({ call, tool, prepared, effects }: PendingCall): Attempt | undefined {
  const ran = effects.find((effect) => effect.kind === "exec");
  if (ran?.kind === "exec") {
    return {
      tool: call.name,
      text: ran.command,
      words: commandWords(ran.command),
      cwd: ran.cwd,
      leavesTrace: ran.leavesNoTrace !== true,
    };
  }
  const touchesFiles = effects.some(({ kind }) => kind === "write" || kind === "delete" || kind === "move");
  if (touchesFiles) return { tool: call.name, text: call.name, words: [], leavesTrace: true };
  if (tool.traits.readOnly) return undefined;
  const text = `${call.name} ${JSON.stringify(prepared.args)}`;
  return { tool: call.name, text, words: [call.name, ...scalarsOf(prepared.args)], leavesTrace: true };
}

function scalarsOf(args: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
}

/** The error output; undefined if the call succeeded. A call stopped by a person or a rule does not count as failed. */
function failureText(result: ToolResult): string | undefined {
  if (!result.ok) return learnable.has(result.error.kind) ? result.error.message : undefined;
  const { data } = result.value;
  if (!isObject(data)) return undefined;
  const { exit_code: code, error, output } = data;
  if (typeof error === "string" && error !== "") return `${typeof output === "string" ? output : ""}\nerror: ${error}`;
  if (typeof code !== "number" || code === 0) return undefined;
  // Exit code 1 without output is a result: no match, not equal.
  const text = typeof output === "string" ? output : "";
  return text.trim() === "" ? undefined : text;
}

const learnable: ReadonlySet<string> = new Set(["failed", "timeout", "unavailable", "crashed"]);

import { whenReady } from "../../base/async/when-ready.ts";
import type { Clock } from "../../base/clock.ts";
import { type CallId, newId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { ChangeNote, MiddlewareCall, RegisteredMiddleware } from "../../contracts/host/middleware.ts";
import type { Checkpointer } from "../../contracts/knowledge/checkpoint.ts";
import type { ToolCall, ContentPart } from "../../contracts/model/message.ts";
import type { Allowed } from "../../contracts/safety/approval.ts";
import type {
  CallScope,
  Dispatcher,
  DispatchStep,
  EffectResolver,
  PendingCall,
  Policy,
  Redactor,
  SpillStore,
} from "../../contracts/tool/dispatch.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import { finishedView } from "../../contracts/tool/result-view.ts";
import { fail, type ToolFailure, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { runExecution } from "../middleware.ts";
import { admitCall } from "./admission/admission.ts";
import { readArguments } from "./admission/arguments.ts";
import type { Refusal } from "./admission/find-tool.ts";
import type { SecretLookup } from "./admission/needs.ts";
import { isPageTool, isSameEffects, resolveEffects } from "./admission/resolve.ts";
import { approve } from "./approve.ts";
import { checkpointStep } from "./checkpoint.ts";
import { emit, withParent } from "./emit.ts";
import { describeToMiddleware, notifyAfter, transformStep } from "./hooks.ts";
import { createLateRecords, dispatchedStep, recordStep, settle } from "./ledger.ts";
import { boundResult, boundTurn } from "./result/bound.ts";
import { cleanResult, redactResult } from "./result/clean.ts";
import { readResult } from "./result/result-contract.ts";
import { mapStrings } from "./result/result-text.ts";
import { type FinishedCall, runBatch, type Stages } from "./run/batch.ts";
import { type Caller, nestCalls } from "./run/nested-calls.ts";
import { type RunDeps, runTool } from "./run/run.ts";

export interface DispatcherDeps {
  readonly hooks: HookBus;
  readonly policy: Policy;
  readonly ledger: Ledger;
  readonly checkpoints?: Checkpointer;
  readonly resolver: EffectResolver;
  readonly redactor: Redactor;
  readonly spill: SpillStore;
  readonly secrets: SecretLookup;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: Pick<DispatchLimits, SettingLimit> & Partial<DispatchLimits>;
}

interface DispatchLimits {
  /**
   * The maximum number of characters of one result, and of all results of one turn. Longer results are written to
   * files.
   */
  readonly resultChars: number;
  readonly turnChars: number;
  readonly previewChars: number;
  readonly argsChars: number;
  readonly argsDepth: number;
  /** Timeout of tools without their own limit. */
  readonly timeoutMs: number;
  /** The maximum number of calls that run at the same time. */
  readonly parallel: number;
  /** The time that a handler has to stop after its timeout. */
  readonly abandonAfterMs: number;
  /** The maximum depth of nested calls, and their maximum number within one call of the model. */
  readonly nestingDepth: number;
  readonly nestedCalls: number;
  /**
   * The maximum number of characters of all results of nested calls within one call of the model. Longer results are
   * written to files.
   */
  readonly nestedChars: number;
}

/** Limits that a user sets; their defaults are in the settings. */
type SettingLimit = "resultChars" | "turnChars" | "timeoutMs";

const defaultLimits = {
  previewChars: 1500,
  argsChars: 5_000_000,
  argsDepth: 100,
  parallel: 16,
  abandonAfterMs: 1000,
  nestingDepth: 3,
  nestedCalls: 1000,
  nestedChars: 50_000_000,
};

/** The single entry point: every call, from any caller, goes through these steps in this order. */
export function createDispatcher(given: DispatcherDeps): Dispatcher {
  const limits: DispatchLimits = { ...defaultLimits, ...given.limits };
  const { hooks, clock, log } = given;
  const redactor = failClosed(given.redactor, log);
  const nest = (pending: PendingCall, caller: Caller) => nestCalls(pending, caller, { ...deps, stages });
  const [spilled, recorded] = [new WeakSet<ToolResult>(), new WeakSet<ToolResult>()];
  const late = createLateRecords(given);
  const foreign = new WeakMap<PendingCall, ReadonlySet<string>>();
  const abandoned: RunDeps["abandoned"] = new Map();
  const deps = { ...given, limits, redactor, spilled, recorded, foreign, late, nest, abandoned };
  const admission = { ...deps, limits: { maxChars: limits.argsChars, maxDepth: limits.argsDepth } };
  /** Prepares a result for its reader and for the ledger. */
  const presentable = (pending: PendingCall, result: ToolResult) =>
    boundResult(pending, cleanResult(pending, result, redactor, foreign), deps);
  const presentStep: DispatchStep = async (pending, next) => {
    const shown = presentable(pending, await next());
    return withGuardRemark(pending, shown instanceof Promise ? await shown : shown);
  };
  const run = compose(
    [
      recordStep(deps),
      presentStep,
      transformStep(hooks, clock),
      ...(deps.checkpoints ? [checkpointStep(deps.checkpoints, clock)] : []),
      dispatchedStep(deps),
    ],
    (pending) => runTool(pending, deps),
  );

  function admit(call: ToolCall, scope: CallScope): Promise<Result<PendingCall, Refusal>> {
    return admitCall(call, scope, admission).catch((thrown: unknown) =>
      err({ call, failure: broken(call.name, thrown, "none") }),
    );
  }

  async function readmit(pending: PendingCall): Promise<Result<PendingCall, Refusal>> {
    const effects = await resolveEffects(pending.tool, pending.prepared, pending.scope, deps, pending.effects);
    return effects.ok
      ? ok({ ...pending, effects: effects.value })
      : err({ call: pending.call, failure: effects.error });
  }

  /**
   * Returns the call as it may run. While a person decides, the shell state and the links in paths can change; then the
   * policy decides again about the new effects.
   */
  async function decide(admitted: PendingCall): Promise<Result<Decided, ToolFailure>> {
    let pending = admitted;
    for (let round = 0; round < maxDecisions; round++) {
      const allowed = await approve(pending, deps);
      if (!allowed.ok) return allowed;
      const isApproved = allowed.value.byPerson === true;
      const current = isApproved ? await readmit(pending) : ok(pending);
      if (!current.ok) return err(current.error.failure);
      if (isSameEffects(current.value.effects, pending.effects)) return ok({ pending, allowed: allowed.value });
      pending = current.value;
    }
    return fail(`${admitted.tool.name} was not run: its effects kept changing while it waited for approval`, "denied");
  }

  async function proceed(admitted: PendingCall): Promise<FinishedCall> {
    const { call, tool, prepared, scope } = admitted;
    announce(call.id, tool.name, prepared.args, scope);
    let startedAt = clock.elapsed();
    let result: ToolResult;
    try {
      const refusal = guarded(admitted);
      const decided = refusal ? err(refusal) : await decide(admitted);
      startedAt = clock.elapsed();
      result = decided.ok ? await execute(decided.value) : redactResult(decided, redactor);
      // A call that is refused again and again is also counted as a loop.
      if (!decided.ok && !refusal) result = await withGuardRemark(admitted, result);
    } catch (thrown) {
      result = { ok: false, error: broken(tool.name, thrown, "unknown") };
    }
    if (!result.ok || !showsFiles(tool)) scope.services.fileReads?.forgetShown();
    const finished = finish(call, prepared.args, result, clock.elapsed() - startedAt, scope, admitted.trace);
    return finished instanceof Promise ? await finished : finished;
  }

  async function runAllowed(decided: Decided): Promise<ToolResult> {
    try {
      return await run(asAllowed(decided));
    } finally {
      const recording = recordSources(decided);
      if (recording) await recording;
    }
  }

  /**
   * Runs an allowed call inside the execution middleware. If middleware changes the arguments, the call is validated
   * and decided again.
   */
  function execute(allowed: Decided): Promise<ToolResult> {
    const list = hooks.middleware("toolExecution");
    return list.length === 0 ? runAllowed(allowed) : executeInside(list, allowed);
  }

  async function executeInside(
    list: readonly RegisteredMiddleware<"toolExecution">[],
    allowed: Decided,
  ): Promise<ToolResult> {
    const { call, prepared, scope, trace } = allowed.pending;
    const startedAt = clock.elapsed();
    const answers = new WeakSet<ToolResult>();
    const runWith = async ({ args }: MiddlewareCall): Promise<ToolResult> => {
      const again = async () => {
        const admitted = await admitCall({ ...call, args }, scope, admission, [...trace, { source: "tool_execution" }]);
        return admitted.ok ? decide(admitted.value) : err(admitted.error.failure);
      };
      const decided = args === about.args ? ok(allowed) : await again();
      const result = decided.ok ? await runAllowed(decided.value) : redactResult(decided, redactor);
      answers.add(result);
      return result;
    };
    const about = describeToMiddleware(call, prepared.args, scope);
    const wrapped = list.map(({ run: around, ...one }) => ({
      ...one,
      run: (current: MiddlewareCall, next: (changed?: MiddlewareCall) => Promise<ToolResult>, signal: AbortSignal) =>
        around(current, (args) => next(args && { ...current, args }), signal),
    }));
    const isResult = (answer: unknown) => readResult(answer).ok;
    const result = await runExecution(wrapped, about, runWith, isResult, scope.signal, deps);
    if (answers.has(result)) return result;
    const cleaned = await presentable(allowed.pending, result);
    await settle(call.id, cleaned, clock.elapsed() - startedAt, scope, deps);
    if (scope.parent) deps.recorded.add(cleaned);
    return cleaned;
  }

  async function refuse(request: ToolCall, failure: ToolFailure, scope: CallScope): Promise<FinishedCall> {
    // The invalid arguments can have any type, so they are not passed on.
    const read = readArguments(request.args, admission.limits);
    const args = read.ok ? read.value : {};
    const call = { ...request, args };
    announce(call.id, call.name, args, scope);
    return finish(call, args, redactResult({ ok: false, error: failure }, redactor), 0, scope, []);
  }

  function announce(callId: CallId, name: string, args: JsonObject, scope: CallScope): void {
    const shown = mapStrings(args, (text) => redactor.redact(text));
    emit(scope, withParent({ type: "tool.started", callId, name, args: shown } as const, scope), log);
  }

  function finish(
    call: ToolCall,
    args: JsonObject,
    result: ToolResult,
    durationMs: number,
    scope: CallScope,
    trace: readonly ChangeNote[],
  ): Promise<FinishedCall> | FinishedCall {
    const denied = !result.ok && result.error.kind === "denied" && { denied: result.error.message };
    const about = { callId: call.id, name: call.name, durationMs, ...finishedView(result), ...denied };
    emit(scope, withParent({ type: "tool.finished", ...about } as const, scope), log);
    abandoned.get(call.id)?.resolve();
    const finished = { callId: call.id, result, durationMs };
    if (!hooks.has("afterToolCall")) return finished;
    return notifyAfter(hooks, { call, args, result, durationMs, trace }, scope, clock).then(() => finished);
  }

  /** This is an internal bug: it must neither end the turn nor go unnoticed. */
  function broken(tool: string, thrown: unknown, effect: ToolFailure["effect"]): ToolFailure {
    log.error("dispatch.failed", { tool, error: thrown instanceof Error ? (thrown.stack ?? "") : reasonOf(thrown) });
    return fail(redactor.redact(`Error executing ${tool}: ${reasonOf(thrown)}`), "crashed", { effect }).error;
  }

  /** Ensures that the call gets a result, even if a later step fails. */
  function ended(call: ToolCall, work: Promise<FinishedCall>): Promise<FinishedCall> {
    return work.catch((thrown: unknown) => ({
      callId: call.id,
      result: { ok: false, error: broken(call.name, thrown, "unknown") },
      durationMs: 0,
    }));
  }

  const stages: Stages = {
    admit,
    readmit,
    proceed: (pending) => ended(pending.call, proceed(pending)),
    refuse: (call, failure, scope) => ended(call, refuse(call, failure, scope)),
  };
  return {
    async dispatch(asked, scope) {
      const call = asked.id ? asked : { ...asked, id: newId<CallId>("call") };
      const admitted = await admit(call, scope);
      const finished = admitted.ok
        ? await stages.proceed(admitted.value)
        : await stages.refuse(admitted.error.call, admitted.error.failure, scope);
      return finished.result;
    },
    async dispatchAll(calls, scope) {
      const turn = await runBatch(calls, scope, stages, { parallel: limits.parallel, clock });
      const shortened = await boundTurn(turn, scope.signal, deps);
      if (shortened.size > 0) scope.services.fileReads?.forgetShown();
      const results = turn.map(({ result }) => result);
      for (const [index, result] of shortened) {
        const { callId, durationMs } = turn[index] ?? {};
        results[index] = result;
        if (callId !== undefined) await settle(callId, result, durationMs ?? 0, scope, deps);
      }
      return results;
    },
  };
}

interface Decided {
  readonly pending: PendingCall;
  readonly allowed: Allowed;
}

/** The maximum number of decisions about one call whose effects change while a person decides. */
const maxDecisions = 3;

/** Records the sources of a result, because the model gets its output whether the call succeeded or not. */
function recordSources({ pending, allowed: { reads = [] } }: Decided): Promise<void> | undefined {
  const { tool, scope } = pending;
  for (const source of reads) scope.taint?.record(source);
  const { untrusted, textSource } = tool.traits;
  if (!untrusted) return undefined;
  if (!textSource) return recordPages(pending);
  scope.taint?.record(textSource);
  return undefined;
}

async function recordPages({ tool, effects, scope }: PendingCall): Promise<void> {
  const pages = effects.flatMap((effect) => (effect.kind === "network" ? [effect.url] : []));
  // A click, a redirect or a script may have opened a page of another site, and its text was shown.
  const shown = isPageTool(tool) ? await scope.place.openPage?.().catch(() => undefined) : undefined;
  if (shown?.url !== undefined) pages.push(shown.url);
  for (const url of pages) scope.taint?.record({ kind: "web", name: url });
  if (pages.length === 0) scope.taint?.record({ kind: "tool", name: tool.name });
}

/** A call that a person approved gets services that other calls do not get. */
function asAllowed({ pending, allowed: { byPerson } }: Decided): PendingCall {
  const { approvedServices } = pending.scope;
  if (byPerson !== true || !approvedServices) return pending;
  return { ...pending, services: { ...pending.services, ...approvedServices } };
}

/** Returns whether the tool may answer that a text was shown before. A call of any other tool resets that. */
function showsFiles({ needs, traits }: Tool): boolean {
  return traits.readOnly && needs.includes("fileReads");
}

/** Hides the whole text if the search for secrets fails. */
function failClosed(redactor: Redactor, log: Logger): Redactor {
  return {
    redact(text, shown) {
      try {
        return redactor.redact(text, shown);
      } catch (thrown) {
        log.error("redact.failed", { error: reasonOf(thrown) });
        return "[hidden: it could not be searched for secrets]";
      }
    },
  };
}

/** The first step is the outermost. */
function compose(
  steps: readonly DispatchStep[],
  last: (call: PendingCall) => Promise<ToolResult>,
): (call: PendingCall) => Promise<ToolResult> {
  return steps.reduceRight<typeof last>((next, step) => (call) => step(call, () => next(call)), last);
}

/**
 * Lets the session check the call before any approval. The checks detect a model that repeats itself; scripts may
 * repeat calls.
 */
function guarded({ call, scope }: PendingCall): ToolFailure | undefined {
  const reason = scope.parent ? undefined : scope.guard?.refusal(call);
  return reason === undefined ? undefined : fail(reason, "blocked").error;
}

/** Appends a remark of the session to the result, before the result is stored. */
function withGuardRemark(pending: PendingCall, result: ToolResult): Promise<ToolResult> | ToolResult {
  return whenReady(pending.scope.guard?.remark(pending, result, pending.scope.signal), (remark) =>
    remark === undefined ? result : withRemark(result, remark),
  );
}

function withRemark(result: ToolResult, remark: string): ToolResult {
  const part: ContentPart = { type: "text", text: remark };
  if (result.ok) return { ok: true, value: { ...result.value, content: [...result.value.content, part] } };
  return { ok: false, error: { ...result.error, content: [...(result.error.content ?? []), part] } };
}

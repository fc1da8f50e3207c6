import { type AbortLink, linkAbort } from "../../../base/async/abort.ts";
import { waitFor } from "../../../base/async/bounded-wait.ts";
import type { Clock } from "../../../base/clock.ts";
import type { CallId } from "../../../base/ids.ts";
import type { Logger } from "../../../base/log/log.ts";
import { reasonOf } from "../../../base/result.ts";
import { oneLine } from "../../../base/text/text.ts";
import { durationText } from "../../../base/text/time-text.ts";
import type { AgentEventBody } from "../../../contracts/session/event.ts";
import type { CallScope, PendingCall, Redactor } from "../../../contracts/tool/dispatch.ts";
import type { Services } from "../../../contracts/tool/services.ts";
import { fail, type ToolFailure, type ToolResult } from "../../../contracts/tool/tool-result.ts";
import type { PreparedCall, WideContext } from "../../../contracts/tool/tool.ts";
import { createTimeLimit, type TimeLimit, waitWithin } from "../../time-limit.ts";
import { type SecretLookup, secretsFor, servicesFor } from "../admission/needs.ts";
import { emit, withParent } from "../emit.ts";
import { kindOfText } from "../result/clean.ts";
import { contractFailure, readResult } from "../result/result-contract.ts";
import { crashMessage } from "../result/sanitize.ts";
import { createLiveOutput, type LiveOutput } from "./live-output.ts";
import type { Caller, NestedCalls } from "./nested-calls.ts";

export interface RunDeps extends LiveCallDeps {
  readonly limits: { readonly abandonAfterMs: number; readonly timeoutMs: number };
  /** The nested calls of a running call. */
  nest(pending: PendingCall, caller: Caller): NestedCalls;
  /** Calls whose handler runs on without them. The dispatcher resolves them when it has emitted their results. */
  readonly abandoned: Map<CallId, PromiseWithResolvers<void>>;
}

/**
 * Runs the handler within its time limit. On timeout and interrupt, its signal is aborted and it gets a grace period to
 * return its output. A handler that ignores the signal is abandoned, and the result says so. Never rejects.
 */
export async function runTool(pending: PendingCall, deps: RunDeps): Promise<ToolResult> {
  const { tool, prepared, scope } = pending;
  const { clock, limits } = deps;
  const ms = timeLimit(prepared, limits.timeoutMs);
  const limit = tool.needs.includes("call") ? createTimeLimit(ms, clock) : undefined;
  const nested = limit && deps.nest(pending, { signal: () => live.context.signal, pause: () => limit.pause() });
  const live = liveCall(pending, nested ? { ...pending.services, call: nested.call } : pending.services, deps, limit);
  const work = start(prepared, live.context);
  let stopped: "timeout" | "aborted" | undefined;
  try {
    const first = limit
      ? await waitWithin(limit, work, scope.signal, clock)
      : await waitFor(work, { signal: scope.signal, ms, clock });
    if (first.how === "done") return checked(tool.name, first.value, deps.log);
    stopped = first.how;
    if (stopped === "timeout") live.stop(new DOMException(`${tool.name} ran out of time`, "TimeoutError"));
    const grace =
      stopped === "timeout" ? { signal: scope.signal, ms: limits.abandonAfterMs, clock } : { ms: stopMs(scope), clock };
    const last = await waitFor(work, grace);
    if (last.how === "done") return ending(pending, stopped, ms, last);
    abandon(work, pending, deps);
    return abandoned(pending, stopped, ms, live.printed());
  } catch (thrown) {
    if (stopped) return ending(pending, stopped, ms, undefined);
    deps.log.error("tool.crashed", { tool: tool.name, callId: pending.call.id, error: stackOf(thrown) });
    return fail(crashMessage(thrown, deps.redactor), "crashed", { effect: "unknown" });
  } finally {
    live.end();
    if (nested) await nested.end();
    limit?.[Symbol.dispose]();
  }
}

/** Returns the failure that the tool would return without running, if the tool can predict it. Never rejects. */
export async function foreseenFailure(pending: PendingCall, deps: LiveCallDeps): Promise<ToolFailure | undefined> {
  const { prepared } = pending;
  if (!prepared.refuses) return undefined;
  const live = liveCall(pending, pending.services, deps);
  try {
    return await prepared.refuses(live.context);
  } catch {
    return undefined;
  } finally {
    live.end();
  }
}

/** A turn ends within 200 ms of an interrupt. A nested call must stop earlier, because its parent waits for it. */
function stopMs({ parent }: CallScope): number {
  return Math.max(30, 120 - 30 * (parent?.depth ?? 0));
}

/** An exception that the handler throws synchronously becomes a rejection. */
function start(prepared: PreparedCall, context: WideContext): Promise<unknown> {
  try {
    return Promise.resolve(prepared.run(context));
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function checked(tool: string, returned: unknown, log: Logger): ToolResult {
  const read = readResult(returned);
  if (read.ok) return read.value;
  log.error("tool.result_contract", { tool, error: read.error });
  return contractFailure(tool, returned, read.error);
}

/** A tool's own limit must be positive; a limit of 0 in the settings means no limit. */
function timeLimit({ timeoutMs }: PreparedCall, usualMs: number): number {
  if (typeof timeoutMs === "number" && timeoutMs > 0) return timeoutMs;
  return usualMs > 0 ? usualMs : Infinity;
}

function ending(
  { tool }: PendingCall,
  how: "timeout" | "aborted",
  limitMs: number,
  last: { readonly value: unknown } | undefined,
): ToolResult {
  const headline = stopText(tool, how, limitMs);
  const read = last && readResult(last.value);
  if (!read?.ok) return fail(headline, how, { effect: "unknown" });
  if (read.value.ok) return fail(headline, how, { ...read.value.value, effect: "unknown" });
  const { message, content = [], ...error } = read.value.error;
  const output = { type: "text", text: message } as const;
  return { ok: false, error: { ...error, kind: how, message: headline, content: [output, ...content] } };
}

/** The result of a call that did not stop in time. It keeps the output that the tool had printed. */
function abandoned({ tool }: PendingCall, how: "timeout" | "aborted", limitMs: number, printed: string): ToolResult {
  const headline = stopText(tool, how, limitMs);
  return fail(`${headline}; it was still stopping when Hermes went on, so its effect is unknown`, how, {
    effect: "unknown",
    ...(printed !== "" && { content: [{ type: "text", text: printed }], data: { output: printed } }),
  });
}

function stopText({ name }: PendingCall["tool"], how: "timeout" | "aborted", limitMs: number): string {
  return how === "timeout"
    ? `Error executing tool '${name}': timed out after ${limitMs / 1000}s`
    : `${name} was cancelled while it ran`;
}

/** Reports, after the result of the call, when the abandoned handler ends. It usually ends a moment later. */
function abandon(work: Promise<unknown>, { call, tool, scope }: PendingCall, deps: RunDeps): void {
  const { clock, log } = deps;
  const finished = Promise.withResolvers<void>();
  deps.abandoned.set(call.id, finished);
  const startedAt = clock.elapsed();
  const facts = { tool: tool.name, callId: call.id };
  log.warn("tool.abandoned", facts);
  const ended = async () => {
    const lateMs = Math.round(clock.elapsed() - startedAt);
    log.info("tool.abandoned_ended", { ...facts, lateMs });
    const text = `${tool.name} has stopped now, ${lateMs < 1_000 ? `${lateMs} ms` : durationText(lateMs)} later.`;
    await finished.promise;
    deps.abandoned.delete(call.id);
    if (!scope.parent) scope.emit({ type: "notice", level: "info", text });
  };
  void work.then(ended, ended);
}

function stackOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.stack) : reasonOf(thrown);
  } catch {
    return reasonOf(thrown);
  }
}

export interface LiveCallDeps {
  readonly secrets: SecretLookup;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: Logger;
}

interface LiveCall {
  /** The context that is passed to the handler. */
  readonly context: WideContext;
  /** Aborts the handler's signal. */
  stop(reason: unknown): void;
  /** The last lines that the handler printed so far. */
  printed(): string;
  /** Detaches from the session; later progress is ignored. */
  end(): void;
}

/**
 * The handler's signal follows the signal of the session. It is created on first use, because most handlers never use
 * it.
 */
function liveCall(
  { call, tool, effects, scope }: PendingCall,
  services: Partial<Services>,
  deps: LiveCallDeps,
  limit?: Pick<TimeLimit, "pausedMs">,
): LiveCall {
  const onUse = new CreatedOnUse(scope.signal, () => deps.log.with({ tool: tool.name, callId: call.id }));
  let isOver = false;
  const show = (event: AgentEventBody) => emit(scope, withParent(event, scope), deps.log);
  const redactOutput = (text: string) => deps.redactor.redact(text, kindOfText(effects));
  let live: LiveOutput | undefined;
  const startOutput = () =>
    createLiveOutput(deps.clock, redactOutput, (lines) => show({ type: "tool.printed", callId: call.id, lines }));
  const { parent } = scope;
  // Fields are assigned one by one, because that takes less time than copying them from another object.
  const context = onUse as CreatedOnUse & { -readonly [Key in keyof WideContext]: WideContext[Key] };
  context.sessionId = scope.sessionId;
  context.callId = call.id;
  context.origin = scope.origin;
  context.principal = scope.principal;
  context.cwd = scope.place.cwd;
  context.effects = effects;
  context.secrets = secretsFor(tool, deps.secrets);
  context.clock = deps.clock;
  context.progress = (note: string) => {
    if (isOver || typeof note !== "string") return;
    const shown = oneLine(deps.redactor.redact(note), noteChars);
    show({ type: "tool.progressed", callId: call.id, note: shown });
  };
  context.printed = (chunk: Uint8Array) => {
    if (!isOver) (live ??= startOutput()).add(chunk);
  };
  if (scope.turnId !== undefined) context.turnId = scope.turnId;
  if (scope.userTask !== undefined) context.userTask = scope.userTask;
  if (limit) context.waitedMs = () => limit.pausedMs();
  if (parent) {
    context.parentCallId = parent.callId;
    context.pauseParents = () => parent.pause();
  }
  if (tool.needs.length > 0) Object.assign(context, servicesFor(tool, services));
  return {
    context,
    stop: (reason) => CreatedOnUse.stop(onUse, reason),
    printed: () => live?.tail() ?? "",
    end() {
      isOver = true;
      live?.[Symbol.dispose]();
      CreatedOnUse.end(onUse);
    },
  };
}

/**
 * Fields of a context that few handlers use. They are own fields, because a handler may copy its context, and all
 * contexts share the getters: an object with new getters takes ten times longer to create.
 */
class CreatedOnUse {
  declare readonly signal: AbortSignal;
  declare readonly log: Logger;
  readonly #above: AbortSignal;
  readonly #createLog: () => Logger;
  #log: Logger | undefined;
  #link: AbortLink | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  constructor(above: AbortSignal, createLog: () => Logger) {
    this.#above = above;
    this.#createLog = createLog;
    Object.defineProperty(this, "signal", CreatedOnUse.#signalField);
    Object.defineProperty(this, "log", CreatedOnUse.#logField);
  }

  static readonly #signalField = {
    get(this: CreatedOnUse): AbortSignal {
      this.#link ??= linkAbort(this.#above);
      if (this.#stopped) this.#link.abort(this.#stopped.reason);
      return this.#link.signal;
    },
    enumerable: true,
  };

  static readonly #logField = {
    get(this: CreatedOnUse): Logger {
      return (this.#log ??= this.#createLog());
    },
    enumerable: true,
  };

  static stop(context: CreatedOnUse, reason: unknown): void {
    context.#stopped = { reason };
    context.#link?.abort(reason);
  }

  static end(context: CreatedOnUse): void {
    context.#link?.[Symbol.dispose]();
  }
}

const noteChars = 500;

import { type AbortLink, linkAbort } from "../base/async/abort.ts";
import { waitFor } from "../base/async/bounded-wait.ts";
import type { Clock } from "../base/clock.ts";
import { isObject, type JsonObject, ownValue } from "../base/json.ts";
import type { Logger } from "../base/log/log.ts";
import { reasonOf, err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import type { HookRequests, Intercepted, SessionFacts } from "../contracts/host/hook-events.ts";
import {
  type HookBus,
  hookFacts,
  type HookName,
  type HookOptions,
  type Hooks,
  type InterceptedName,
  originalHookNames,
  type Outcome,
} from "../contracts/host/hook.ts";
import type { Middleware, MiddlewareName, RegisteredMiddleware } from "../contracts/host/middleware.ts";
import type { ModelError } from "../contracts/model/model.ts";
import { readResult } from "./dispatch/result/result-contract.ts";

/**
 * Calls hooks in the order in which they were added. Observers of one event run in parallel, so that a slow one does
 * not delay the others; hooks that answer run one after the other. Hooks that are added or removed during a call take
 * effect at the next call.
 */
export function createHookBus({ clock, log }: { readonly clock: Clock; readonly log: Logger }): HookBus {
  // The lists are replaced, never mutated, so that a running loop sees a consistent list.
  const lists = new Map<HookName, readonly Hook[]>();
  const middlewares = new Map<MiddlewareName, readonly AnyMiddleware[]>();

  /** Returns the answer of the hook, or the reason why there is none. Waits only for a hook that returns a promise. */
  function call(hook: Hook, event: unknown, signal: AbortSignal): HookResponse | Promise<HookResponse> {
    return hook.takesSignal ? callLinked(hook, event, signal) : start(hook, event, signal);
  }

  async function callLinked(hook: Hook, event: unknown, signal: AbortSignal): Promise<HookResponse> {
    using link = linkAbort(signal);
    return await start(hook, event, signal, link);
  }

  function start(
    hook: Hook,
    event: unknown,
    signal: AbortSignal,
    link?: AbortLink,
  ): HookResponse | Promise<HookResponse> {
    try {
      const answer = hook.run(event, link?.signal ?? signal);
      return isThenable(answer) ? settle(hook, answer, signal, link) : { answer };
    } catch (thrown) {
      return failed(hook, reasonOf(thrown));
    }
  }

  /** Waits for the answer. Aborts the hook's signal after its timeout. */
  async function settle(
    hook: Hook,
    answer: PromiseLike<unknown>,
    signal: AbortSignal,
    link: AbortLink | undefined,
  ): Promise<HookResponse> {
    try {
      const isOptional = hookFacts[hook.name].kind === "observer";
      const waited = await waitFor(Promise.resolve(answer), { signal, ms: hook.timeoutMs, clock, isOptional });
      if (waited.how === "done") return { answer: waited.value };
      link?.abort(new DOMException("the hook ran out of time", "TimeoutError"));
      return failed(hook, waited.how === "timeout" ? `no answer within ${hook.timeoutMs / 1000}s` : "interrupted");
    } catch (thrown) {
      return failed(hook, reasonOf(thrown));
    }
  }

  function failed({ owner, name }: Hook, why: string): { readonly why: string } {
    log.warn("hook.failed", { owner, hook: name, error: why });
    return { why };
  }

  function reply<K extends InterceptedName>(
    name: K,
    hook: Hook,
    event: Intercepted[K]["event"],
    signal: AbortSignal,
  ): ReadReply<K> | Promise<ReadReply<K>> {
    const response = call(hook, event, signal);
    const read = (given: HookResponse) => readResponse(name, hook, given);
    return response instanceof Promise ? response.then(read) : read(response);
  }

  function readResponse<K extends InterceptedName>(name: K, hook: Hook, response: HookResponse): ReadReply<K> {
    if ("why" in response) return { why: response.why };
    if (response.answer === undefined || response.answer === null) return {};
    const read = readReply(name, response.answer);
    if (read.ok) return { reply: read.value };
    return failed(hook, `a malformed answer: ${read.error}`);
  }

  async function askAll(
    event: Intercepted["beforeToolCall"]["event"],
    hooks: readonly Hook[],
    signal: AbortSignal,
  ): Promise<Outcome<"beforeToolCall">> {
    const askedBy: HookRequests["askedBy"][number][] = [];
    let args: JsonObject | undefined;
    for (const hook of hooks) {
      const response = await reply("beforeToolCall", hook, args ? { ...event, args } : event, signal);
      if (response.why !== undefined && hook.isEnforced) {
        return { block: `Blocked: the policy hook of ${hook.owner} failed (${response.why})`, by: hook.owner };
      }
      if (!response.reply) continue;
      if ("block" in response.reply) return { block: response.reply.block, by: hook.owner };
      const { ask: reason, ruleKey } = response.reply;
      if (reason !== undefined) askedBy.push({ hook: hook.owner, reason, ...(ruleKey !== undefined && { ruleKey }) });
      args = response.reply.args ?? args;
    }
    return args ? { askedBy, args } : { askedBy };
  }

  async function askFirst<K extends InterceptedName>(
    name: K,
    event: Intercepted[K]["event"],
    hooks: readonly Hook[],
    signal: AbortSignal,
  ): Promise<Replies[K] | undefined> {
    for (const hook of hooks) {
      if (signal.aborted) return undefined;
      const response = await reply(name, hook, event, signal);
      if (response.reply !== undefined) return response.reply;
    }
    return undefined;
  }

  async function joinContexts(
    event: Intercepted["beforeTurn"]["event"],
    hooks: readonly Hook[],
    signal: AbortSignal,
  ): Promise<{ readonly context: string } | undefined> {
    const contexts: string[] = [];
    for (const hook of hooks) {
      const response = await reply("beforeTurn", hook, event, signal);
      if (response.reply) contexts.push(response.reply.context);
    }
    return contexts.length > 0 ? { context: contexts.join("\n\n") } : undefined;
  }

  return {
    add(owner, hooks, options = {}) {
      const added = readHooks(owner, hooks, options);
      for (const hook of added) lists.set(hook.name, [...(lists.get(hook.name) ?? []), hook]);
      return {
        [Symbol.dispose]() {
          for (const hook of added) {
            const left = (lists.get(hook.name) ?? []).filter((other) => other !== hook);
            if (left.length > 0) lists.set(hook.name, left);
            else lists.delete(hook.name);
          }
        },
      };
    },
    async notify(name, event, signal) {
      const waiting: Promise<HookResponse>[] = [];
      for (const hook of lists.get(name) ?? []) {
        const response = call(hook, event, signal);
        if (response instanceof Promise) waiting.push(response);
      }
      if (waiting.length > 0) await Promise.all(waiting);
    },
    async ask(name, event, signal) {
      const hooks = lists.get(name);
      if (!hooks) return undefined;
      // Safe cast: each case returns the outcome type of its event, which the compiler cannot infer.
      switch (name) {
        case "beforeToolCall":
          return (await askAll(event as Parameters<typeof askAll>[0], hooks, signal)) as never;
        case "beforeTurn":
          return (await joinContexts(event as Parameters<typeof joinContexts>[0], hooks, signal)) as never;
        default:
          return (await askFirst(name, event, hooks, signal)) as never;
      }
    },
    has: (name) => lists.has(name),
    use(owner, middleware, { timeoutMs = timeouts.interceptor } = {}) {
      const added = middlewareKinds.flatMap((kind) => {
        const run = middleware[kind]?.bind(middleware);
        return run ? [{ kind, one: { owner, timeoutMs: Math.min(timeoutMs, timeouts.max), run } }] : [];
      });
      for (const { kind, one } of added) middlewares.set(kind, [...(middlewares.get(kind) ?? []), one]);
      return {
        [Symbol.dispose]() {
          for (const { kind, one } of added) {
            middlewares.set(
              kind,
              (middlewares.get(kind) ?? []).filter((other) => other !== one),
            );
          }
        },
      };
    },
    // Safe cast: each list contains only middleware of its kind.
    middleware: <K extends MiddlewareName>(kind: K) =>
      (middlewares.get(kind) ?? noMiddleware) as unknown as readonly RegisteredMiddleware<K>[],
  };
}

type AnyMiddleware = RegisteredMiddleware<MiddlewareName>;
const noMiddleware: readonly AnyMiddleware[] = [];
const middlewareKinds: readonly (keyof Middleware)[] = [
  "toolRequest",
  "toolExecution",
  "modelRequest",
  "modelExecution",
];

/** The hook bus of one session. Adds the facts of the session to every event that has a listener. */
export function sessionHooks(bus: HookBus, facts: SessionFacts): HookBus {
  return {
    ...bus,
    notify: async (name, event, signal) =>
      bus.has(name) ? bus.notify(name, { ...facts, ...event }, signal) : undefined,
    ask: async (name, event, signal) => (bus.has(name) ? bus.ask(name, { ...facts, ...event }, signal) : undefined),
  };
}

interface Hook {
  readonly owner: string;
  readonly name: HookName;
  readonly timeoutMs: number;
  readonly isEnforced: boolean;
  /** A hook that takes no signal needs no abort controller. */
  readonly takesSignal: boolean;
  run(event: unknown, signal: AbortSignal): unknown;
}

type HookResponse = { readonly answer: unknown } | { readonly why: string };

const timeouts = { observer: 10_000, interceptor: 60_000, max: 300_000 } as const;

function readHooks(owner: string, hooks: Hooks, options: HookOptions): readonly Hook[] {
  return Object.entries(hooks).flatMap(([name, run]: readonly [string, unknown]): readonly Hook[] => {
    if (!isHookName(name)) throw new TypeError(`${owner}: there is no hook "${name}"${suggestion(name)}`);
    if (run === undefined) return [];
    if (typeof run !== "function") throw new TypeError(`${owner}: the hook ${name} is not a function`);
    const timeoutMs = Math.min(options.timeoutMs ?? timeouts[hookFacts[name].kind], timeouts.max);
    if (!(timeoutMs > 0)) throw new RangeError(`${owner}: timeoutMs must be above 0`);
    // The callback is bound, so that hooks written as methods keep their `this`.
    const bound = run.bind(hooks) as Hook["run"];
    return [{ owner, name, timeoutMs, isEnforced: options.enforce === true, takesSignal: run.length > 1, run: bound }];
  });
}

function isHookName(name: string): name is HookName {
  return Object.hasOwn(hookFacts, name);
}

function suggestion(name: string): string {
  const renamed = ownValue<HookName>(originalHookNames, name);
  const close = renamed ? [renamed] : nearest(name, Object.keys(hookFacts));
  return close.length > 0 ? `; use ${close.join(" or ")}` : "";
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value.then === "function";
}

interface ReadReply<K extends InterceptedName> {
  readonly reply?: Replies[K];
  readonly why?: string;
}

type Replies = { readonly [K in InterceptedName]: Intercepted[K]["reply"] };

/** Validates the answer of a hook against its event. The error names the expected form. */
function readReply<K extends InterceptedName>(name: K, answer: unknown): Result<Replies[K], string> {
  return readers[name](answer);
}

const readers: { readonly [K in InterceptedName]: (answer: unknown) => Result<Replies[K], string> } = {
  beforeToolCall: readBefore,
  transformToolResult: readResult,
  transformTerminalOutput: readText,
  beforeTurn: (answer) => {
    const context = typeof answer === "string" ? answer : isObject(answer) ? answer.context : undefined;
    return typeof context === "string" ? ok({ context }) : err("expected { context: string }");
  },
  transformAnswer: readText,
  beforeVerify: (answer) =>
    isObject(answer) && typeof answer.continueWith === "string"
      ? ok({ continueWith: answer.continueWith })
      : err("expected { continueWith: string }"),
  classifyModelError: (answer) =>
    isModelError(answer) ? ok(answer) : err("expected { kind, message } of a model error"),
  beforeInbound: (answer) => {
    if (isObject(answer) && answer.skip === true) return ok({ skip: true });
    if (isObject(answer) && typeof answer.rewrite === "string") return ok({ rewrite: answer.rewrite });
    return err("expected { skip: true } or { rewrite: string }");
  },
};

/** A reply with `block` blocks, even if it is malformed or in the format of the Python version. */
function readBefore(answer: unknown): Result<Replies["beforeToolCall"], string> {
  if (!isObject(answer)) return err(beforeShape);
  const { block, ask, ruleKey, args, ...others } = inOurWords(answer);
  if (block !== undefined && block !== null && block !== false) {
    return ok({ block: typeof block === "string" && block.trim() !== "" ? block : "Blocked by a hook" });
  }
  if (Object.keys(others).length > 0) return err(beforeShape);
  if (ask !== undefined && typeof ask !== "string") return err(beforeShape);
  if (args !== undefined && !isObject(args)) return err(beforeShape);
  return ok({
    ...(ask !== undefined && { ask }),
    ...(typeof ruleKey === "string" && { ruleKey }),
    // Whether it is valid JSON is checked when the call is prepared.
    ...(args !== undefined && { args: args as JsonObject }),
  });
}

/**
 * Parses the answers of the Python version: `{ action: "block" | "approve", message }` and `{ decision: "block", reason
 * }`.
 */
function inOurWords(answer: Record<string, unknown>): Record<string, unknown> {
  const { action, decision, message, reason, rule_key: ruleKey, ...rest } = answer;
  const explanation = message ?? reason;
  if (action === "block" || decision === "block") return { ...rest, block: explanation ?? true };
  if (action === "approve") {
    const ask = typeof explanation === "string" ? explanation : "a hook requires approval by a person";
    return { ...rest, ask, ...(ruleKey !== undefined && { ruleKey }) };
  }
  return action === "allow" ? rest : answer;
}

const beforeShape = "expected { block: string } or { ask?: string, args?: object }";

function readText(answer: unknown): Result<string, string> {
  return typeof answer === "string" ? ok(answer) : err("expected text");
}

const errorKinds: Readonly<Record<ModelError["kind"], true>> = {
  rate_limited: true,
  overloaded: true,
  server: true,
  auth: true,
  billing: true,
  not_found: true,
  content_policy: true,
  context_overflow: true,
  payload_too_large: true,
  schema_rejected: true,
  image_too_large: true,
  invalid_request: true,
  reasoning_rejected: true,
  certificate: true,
  stalled: true,
  network: true,
  malformed: true,
  aborted: true,
};

function isModelError(answer: unknown): answer is ModelError {
  return (
    isObject(answer) &&
    typeof answer.kind === "string" &&
    Object.hasOwn(errorKinds, answer.kind) &&
    typeof answer.message === "string" &&
    (answer.retryAfterMs === undefined || typeof answer.retryAfterMs === "number")
  );
}

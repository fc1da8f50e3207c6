import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf, type Result } from "../../base/result.ts";
import type { AssistantMessage } from "../../contracts/model/message.ts";
import type {
  AttemptEvent,
  ClassifyError,
  ModelClient,
  ModelError,
  ModelErrorAction,
  ModelEvent,
  ModelFacts,
  ModelProvider,
  ModelRequest,
} from "../../contracts/model/model.ts";
import type { Credential, CredentialPool } from "../credentials/credential-pool.ts";
import type { Endpoint, ProgramEndpoint, Protocol, Quirks } from "../endpoint.ts";
import { type Route, routeName } from "../endpoints/route.ts";
import { localBaseMs, defaultBaseMs } from "./back-off.ts";
import { decideRecovery } from "./decide.ts";
import { errorPlans } from "./error-plans.ts";
import type { Repair } from "./repairs.ts";
import { estimateUsage, withCost } from "./usage-cost.ts";

export interface ModelClientDeps {
  /** The main model, followed by its fallbacks. */
  readonly routes: readonly [Route, ...Route[]];
  readonly pool: CredentialPool;
  connect(endpoint: Endpoint | ProgramEndpoint): ModelProvider;
  /** Returns the token to send for an account. `wasRefused`: the provider rejected the previous token. */
  tokenOf(
    credential: Credential,
    route: Route,
    wasRefused: boolean,
    signal: AbortSignal,
  ): Promise<Result<string, { readonly message: string; readonly passing?: boolean }>>;
  facts(route: Route): ModelFacts;
  /** Saves the context window that the provider reported. */
  learn(route: Route, contextTokens: number): void;
  /** The state of the routes, shared by all clients of a process. */
  readonly routeMemory: RouteMemory;
  /** The maximum number of retries of the same request. */
  readonly maxRetries: number;
  /** The output limit of requests that do not set one. */
  readonly maxTokens?: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Knowledge that a process has gained about routes: necessary request changes, and until when a route is skipped. */
export interface RouteMemory {
  readonly quirks: Map<string, Quirks>;
  readonly repairs: Map<string, readonly Repair[]>;
  readonly passedOverUntil: Map<string, number>;
  readonly emptyAnswers: Map<string, number>;
}

export function createRouteMemory(): RouteMemory {
  return { quirks: new Map(), repairs: new Map(), passedOverUntil: new Map(), emptyAnswers: new Map() };
}

/** The number of consecutive empty answers after which a route is skipped if there is a fallback. */
const maxEmpty = 3;

export function createModelClient(deps: ModelClientDeps): ModelClient {
  const { routes, routeMemory, clock } = deps;

  /** Returns the first route that is not skipped. If all are skipped, returns the first one. */
  function firstRoute(): number {
    const now = clock.now();
    const index = routes.findIndex((route) => (routeMemory.passedOverUntil.get(routeMemoryKey(route)) ?? 0) <= now);
    return Math.max(0, index);
  }

  return {
    facts: () => deps.facts(routes[firstRoute()] ?? routes[0]),
    async *stream(request, signal, classify) {
      const start = firstRoute();
      // Skipped routes are tried last: they are better than no route.
      const order = [...routes.slice(start), ...routes.slice(0, start)];
      const counter = { attempts: 0 };
      for (const [index, route] of order.entries()) {
        const outcome = yield* askRoute(route, order[index + 1], request, counter, { ...deps, classify }, signal);
        if (outcome === "ended") return;
      }
    },
  };
}

type Asking = Omit<ModelRequest, "model">;

/** Sends the request to one model, with all its keys. If there is a `next` route, a failure here is not final. */
async function* askRoute(
  route: Route,
  next: Route | undefined,
  asking: Asking,
  counter: { attempts: number },
  deps: ModelClientDeps & { readonly classify: ClassifyError | undefined },
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, "ended" | "next"> {
  const { pool, routeMemory, clock, random } = deps;
  const name = routeMemoryKey(route);
  const keys = pool.order(route);
  const tried = new Set<string>();
  const renewed = new Set<string>();
  const repaired = new Map<Repair, ModelError>();
  let applied: readonly Repair[] = routeMemory.repairs.get(name) ?? [];
  const patch: { -readonly [Q in keyof Quirks]: Quirks[Q] } = {};
  let [retries, retriesWithKey] = [0, 0];
  let key: Credential | undefined = keys[0]?.credential;

  const isMute = next !== undefined && (routeMemory.emptyAnswers.get(name) ?? 0) >= maxEmpty;
  if (isMute) {
    routeMemory.emptyAnswers.delete(name);
    routeMemory.passedOverUntil.set(name, clock.now() + (errorPlans.malformed.passMs ?? 0));
  }
  const unusable = isMute
    ? mute(route)
    : unusableKeys(route, keys, next !== undefined, pool.fault ?? pool.leftOut(route));
  if (unusable) {
    if (next) yield failed(unusable, "fallback", `falling back to ${routeName(next)}`);
    else yield { type: "error", error: unusable };
    return next ? "next" : "ended";
  }

  for (;;) {
    counter.attempts += 1;
    const { providerId: provider, model, protocol } = route;
    const endpoint = { protocol, ...("baseUrl" in route && { baseUrl: route.baseUrl }) };
    yield { type: "called", provider, model, attempt: counter.attempts, endpoint };
    const quirks = { ...route.quirks, ...routeMemory.quirks.get(name), ...patch };
    const facts = deps.facts(route);
    const bound = answerBound(asking.maxTokens ?? deps.maxTokens, quirks);
    let request: ModelRequest = { ...asking, ...bound, model: route.model };
    for (const repair of applied) {
      request = (await repair.request?.(request, repaired.get(repair) ?? noError, signal)) ?? request;
    }
    let error: ModelError | undefined;
    const sender = { key, wasRefused: key !== undefined && renewed.has(key.key) };
    for await (const event of attempt(route, request, quirks, sender, facts, deps, signal)) {
      if (event.type === "error") error = event.error;
      else if (event.type === "finish" && next && isRefusal(event.message)) error = refused(route);
      else if (event.type === "finish") {
        const empty = isEmpty(event.message) ? (routeMemory.emptyAnswers.get(name) ?? 0) + 1 : 0;
        routeMemory.emptyAnswers.set(name, empty);
        if (key) pool.succeeded(key);
        routeMemory.passedOverUntil.delete(name);
        // Keeps only request changes that led to an answer.
        routeMemory.quirks.set(name, { ...routeMemory.quirks.get(name), ...patch });
        const lasting = applied.filter(({ passing }) => passing !== true);
        if (lasting.length > 0) routeMemory.repairs.set(name, lasting);
        const usage = event.usage ?? estimateUsage(request, event.message);
        yield {
          type: "finish",
          message: event.message,
          usage: withCost(usage, facts.price, request.cacheTtl),
          by: facts,
        };
        return "ended";
      } else yield event;
    }
    error ??= { kind: "malformed", message: `${route.providerId} ended without an answer` };
    if (signal.aborted) error = interrupted;
    else if (deps.classify) error = await deps.classify(error);
    if (!signal.aborted)
      deps.log.info("model.failed", { route: name, kind: error.kind, status: error.status, message: error.message });
    if (error.contextTokens !== undefined) deps.learn(route, error.contextTokens);
    const canRenew = key?.account !== undefined && key.account !== "file";
    if (key && canRenew && error.kind === "auth" && error.status !== undefined && !renewed.has(key.key)) {
      renewed.add(key.key);
      const how = key.signs ? `requesting new keys (${key.label})` : `renewing the sign-in ${key.label}`;
      yield failed(error, "retry", how);
      continue;
    }
    if (key) tried.add(key.key);
    const decision = decideRecovery(error, {
      request,
      quirks,
      repaired: new Set(Array.from(repaired.keys(), (repair) => repair.name)),
      key,
      otherKey: keys.find(({ credential, rests }) => !tried.has(credential.key) && !rests)?.credential,
      hasNext: next !== undefined,
      retries,
      retriesWithKey,
      maxRetries: deps.maxRetries,
      baseMs: route.local ? localBaseMs : defaultBaseMs,
      random,
    });
    const rest =
      key && "keyRests" in decision && decision.keyRests ? pool.failed(key, error, keys.length === 1) : undefined;

    switch (decision.do) {
      case "tell_caller":
        yield { type: "error", error };
        return "ended";
      case "repair": {
        const { repair } = decision;
        repaired.set(repair, error);
        Object.assign(patch, repair.quirks?.(error, quirks));
        if (repair.request) applied = [...applied.filter((one) => one !== repair), repair];
        yield failed(error, "repair", repair.how);
        break;
      }
      case "rotate": {
        const spent = rest?.status === "dead" ? "no longer works" : "rests";
        yield failed(error, "rotate_key", `the key ${key?.label} ${spent}; trying ${decision.to.label}`);
        key = decision.to;
        retriesWithKey = 0;
        break;
      }
      case "retry": {
        const { waitMs } = decision;
        retries += 1;
        retriesWithKey += 1;
        const how = `retrying in ${seconds(waitMs)} s (${retries} of ${deps.maxRetries})`;
        yield { ...failed(error, "retry", how), waitMs, retry: { number: retries, of: deps.maxRetries } };
        if (!(await trySleep(waitMs, signal, clock))) {
          yield { type: "error", error: interrupted };
          return "ended";
        }
        break;
      }
      case "fall_back":
        if (decision.passMs > 0) routeMemory.passedOverUntil.set(name, clock.now() + decision.passMs);
        yield failed(error, "fallback", `falling back to ${next ? routeName(next) : "another model"}`);
        return "next";
      case "give_up":
        yield failed(error, "give_up", "giving up");
        yield { type: "error", error: withNote(error, route) };
        return "ended";
    }
  }
}

function mute({ providerId, model }: Route): ModelError {
  return { kind: "malformed", message: `${providerId}/${model} gave an empty answer ${maxEmpty} times` };
}

function refused({ providerId, model }: Route): ModelError {
  return { kind: "content_policy", message: `${providerId}/${model} refused to answer` };
}

function isEmpty({ content, calls }: AssistantMessage): boolean {
  return calls.length === 0 && content.every((part) => part.type === "text" && part.text.trim() === "");
}

function isRefusal(message: AssistantMessage): boolean {
  return message.stop === "refused" && isEmpty(message);
}

/** Returns why a route cannot be used: it has no key, or all its keys are in cooldown and a fallback is available. */
function unusableKeys(
  { providerId, keys: { keyless, advice } }: Route,
  keys: ReturnType<CredentialPool["order"]>,
  hasNext: boolean,
  fault: string | undefined,
): ModelError | undefined {
  if (keyless) return undefined;
  const first = keys[0];
  if (!first) return { kind: "auth", message: `There is no key for ${providerId}. ${fault ?? advice}` };
  if (!first.rests || !hasNext) return undefined;
  return { kind: "rate_limited", message: `All keys of ${providerId} are cooling down: ${first.rests.why}` };
}

async function* attempt(
  route: Route,
  request: ModelRequest,
  quirks: Quirks,
  { key, wasRefused }: { readonly key: Credential | undefined; readonly wasRefused: boolean },
  facts: ModelFacts,
  deps: ModelClientDeps,
  signal: AbortSignal,
): AsyncGenerator<AttemptEvent> {
  const token = key?.account ? await deps.tokenOf(key, route, wasRefused, signal) : undefined;
  if (token?.ok === false) {
    const { message, passing } = token.error;
    yield { type: "error", error: { kind: passing ? "network" : "auth", message } };
    return;
  }
  const sender = key && token ? { ...key, key: token.value } : key;
  try {
    yield* deps.connect(endpointOf(route, quirks, sender, facts)).stream(request, signal);
  } catch (thrown) {
    // A provider from a plugin may throw.
    yield { type: "error", error: { kind: "malformed", message: reasonOf(thrown) } };
  }
}

function answerBound(requested: number | undefined, { maxOutputTokens: max }: Quirks): Pick<ModelRequest, "maxTokens"> {
  if (max !== undefined) return { maxTokens: Math.min(requested ?? max, max) };
  return requested === undefined ? {} : { maxTokens: requested };
}

function withNote(error: ModelError, { keys: { note } }: Route): ModelError {
  const isAboutKey = error.status !== undefined && (error.kind === "auth" || error.kind === "billing");
  return isAboutKey && note !== undefined ? { ...error, message: `${error.message}. ${note}` } : error;
}

function failed(error: ModelError, next: ModelErrorAction, how: string) {
  return { type: "failed", error, next, how } as const;
}

function seconds(ms: number): string {
  return ms < 10_000 ? (ms / 1000).toFixed(1) : String(Math.round(ms / 1000));
}

function routeMemoryKey({ baseUrl, model }: Route): string {
  return `${baseUrl} ${model}`;
}

function endpointOf(
  route: Route,
  quirks: Quirks,
  credential: Credential | undefined,
  facts: ModelFacts,
): Endpoint | ProgramEndpoint {
  const { providerId, timeouts, program } = route;
  if (program) return { providerId, protocol: "acp", program, quirks, timeouts };
  const kind = route.keys.kinds?.find(({ prefix }) => credential?.key.startsWith(prefix));
  const bound = facts.maxOutputTokens === undefined ? {} : { defaultMaxTokens: facts.maxOutputTokens };
  return {
    providerId,
    // A route without a program uses a server protocol; mixtures are handled elsewhere.
    protocol: route.protocol as Protocol,
    baseUrl: credential?.baseUrl ?? route.baseUrl,
    ...(credential && { key: credential.key }),
    headers: { ...route.headers, ...kind?.headers, ...credential?.headers },
    quirks: { ...bound, ...quirks, ...(kind?.auth && { auth: kind.auth }), ...(credential?.signs && { auth: "aws" }) },
    timeouts,
  };
}

const noError: ModelError = { kind: "invalid_request", message: "" };
const interrupted: ModelError = { kind: "aborted", message: "interrupted" };

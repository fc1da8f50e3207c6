import { sleep } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type {
  ModelClient,
  ModelError,
  ModelErrorAction,
  ModelEvent,
  ModelFacts,
  ModelProvider,
  ModelRequest,
} from "../../contracts/model.ts";
import type { Credential, CredentialPool } from "../credentials/credential-pool.ts";
import type { Endpoint, Quirks } from "../endpoint.ts";
import { type Route, routeName } from "../endpoints/route.ts";
import { backOffMs, localBaseMs, usualBaseMs } from "./back-off.ts";
import { errorPlans, longestWaitMs, patienceMs } from "./error-plans.ts";
import { type Repair, repairs } from "./repairs.ts";
import { estimatedUsage, priced } from "./spent.ts";

export interface ModelClientDeps {
  /** The model to ask, and those to ask when it cannot answer. */
  readonly routes: readonly [Route, ...Route[]];
  readonly pool: CredentialPool;
  connect(endpoint: Endpoint): ModelProvider;
  facts(route: Route): ModelFacts;
  /** The provider said how large the window really is. */
  learn(route: Route, contextTokens: number): void;
  /** What was found out about routes: shared by the clients of a process. */
  readonly experience: Experience;
  /** How often the same is tried again. */
  readonly maxRetries: number;
  /** Of an answer, when the request does not say. */
  readonly maxTokens?: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What one process learned: what routes want said otherwise, and until when they are passed over. */
export interface Experience {
  readonly quirks: Map<string, Quirks>;
  readonly repairs: Map<string, readonly Repair[]>;
  readonly passedOverUntil: Map<string, number>;
}

export function createExperience(): Experience {
  return { quirks: new Map(), repairs: new Map(), passedOverUntil: new Map() };
}

export function createModelClient(deps: ModelClientDeps): ModelClient {
  const { routes, experience, clock } = deps;

  /** The first that is not passed over; when all are, the first. */
  function firstRoute(): number {
    const now = clock.now();
    const at = routes.findIndex((route) => (experience.passedOverUntil.get(routeName(route)) ?? 0) <= now);
    return Math.max(0, at);
  }

  return {
    facts: () => deps.facts(routes[firstRoute()] ?? routes[0]),
    async *stream(request, signal) {
      const start = firstRoute();
      // Those that are passed over now are better than nothing at the end.
      const order = [...routes.slice(start), ...routes.slice(0, start)];
      const counter = { attempts: 0 };
      for (const [at, route] of order.entries()) {
        const outcome = yield* askRoute(route, order[at + 1], request, counter, deps, signal);
        if (outcome === "ended") return;
      }
    },
  };
}

type Asking = Omit<ModelRequest, "model">;

/** Asks one model with all its keys. `next`: who is asked after it; then nothing is final here. */
async function* askRoute(
  route: Route,
  next: Route | undefined,
  asked: Asking,
  counter: { attempts: number },
  deps: ModelClientDeps,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, "ended" | "next"> {
  const { pool, experience, clock, random } = deps;
  const name = routeName(route);
  const keys = [...pool.order(route)];
  const canBeWithout = route.keys.keyless;
  const tried = new Set<string>();
  const used = new Set<string>();
  let own: readonly Repair[] = experience.repairs.get(name) ?? [];
  const errors = new Map<Repair, ModelError>();
  let retries = 0;
  let sameKey = 0;
  let current: Credential | undefined = keys[0]?.credential;
  const done = (error: ModelError) => ({ type: "error", error }) as const;
  const failed = (error: ModelError, action: ModelErrorAction, how: string, waitMs?: number): ModelEvent => ({
    type: "failed",
    error,
    next: action,
    how,
    ...(waitMs !== undefined && { waitMs }),
  });

  if (!current && !canBeWithout) {
    const error: ModelError = {
      kind: "auth",
      message: `There is no key for ${route.providerId}. ${route.keys.advice}`,
    };
    if (next) yield failed(error, "fallback", `falling back to ${routeName(next)}`);
    else yield done(error);
    return next ? "next" : "ended";
  }
  const resting = keys[0]?.rests;
  if (resting && next && !canBeWithout) {
    const error: ModelError = { kind: "rate_limited", message: `All keys of ${route.providerId} rest: ${resting.why}` };
    yield failed(error, "fallback", `falling back to ${routeName(next)}`);
    return "next";
  }

  for (;;) {
    counter.attempts += 1;
    yield { type: "called", provider: route.providerId, model: route.model, attempt: counter.attempts };
    const quirks = { ...route.quirks, ...experience.quirks.get(name) };
    const facts = deps.facts(route);
    const request = own.reduce<ModelRequest>(
      (sent, repair) => repair.request?.(sent, errors.get(repair) ?? noError) ?? sent,
      {
        ...asked,
        ...(asked.maxTokens === undefined && deps.maxTokens !== undefined && { maxTokens: deps.maxTokens }),
        model: route.model,
      },
    );
    const provider = deps.connect(endpointOf(route, quirks, current, facts));
    let error: ModelError | undefined;
    for await (const event of provider.stream(request, signal)) {
      if (event.type === "error") error = event.error;
      else if (event.type === "finish") {
        if (current) pool.succeeded(current);
        experience.passedOverUntil.delete(name);
        const lasting = own.filter(({ passing }) => passing !== true);
        if (lasting.length > 0) experience.repairs.set(name, lasting);
        const usage = event.usage ?? estimatedUsage(request, event.message);
        const price = route.subscription || facts.offline ? free : facts.price;
        yield { type: "finish", message: event.message, usage: priced(usage, price), by: facts };
        return "ended";
      } else yield event;
    }
    error ??= { kind: "malformed", message: `${route.providerId} ended without an answer` };
    if (signal.aborted) error = { kind: "aborted", message: "interrupted" };
    deps.log.info("model.failed", { route: name, kind: error.kind, status: error.status, message: error.message });
    if (error.contextTokens !== undefined) deps.learn(route, error.contextTokens);

    const plan = errorPlans[error.kind];
    const refused = error;
    const repair = plan.repair
      ? repairs.find((one) => !used.has(one.name) && one.fits(refused, request, quirks))
      : undefined;
    if (repair) {
      used.add(repair.name);
      const patch = repair.quirks?.(error, quirks);
      if (patch) experience.quirks.set(name, { ...experience.quirks.get(name), ...patch });
      if (repair.request) {
        errors.set(repair, error);
        own = [...own.filter((one) => one !== repair), repair];
      }
      yield failed(error, "repair", repair.how);
      continue;
    }
    if (plan.caller) {
      yield done(error);
      return "ended";
    }

    // ── another key ──
    if (current) tried.add(current.key);
    const other = keys.find(({ credential, rests }) => !tried.has(credential.key) && !rests)?.credential;
    const rotatesNow = plan.rotate === "now" || error.plan === true || (plan.rotate === "later" && sameKey >= 1);
    const isLong = (error.retryAfterMs ?? 0) > patienceMs;
    if (current && plan.rotate !== undefined && (rotatesNow || (isLong && (other ?? next)))) {
      const isOnly = keys.length === 1;
      const state = pool.failed(current, error, isOnly);
      if (other) {
        const spent = state?.status === "dead" ? "the key does not work any more" : `the key ${current.label} rests`;
        yield failed(error, "rotate_key", `${spent}; trying ${other.label}`);
        current = other;
        sameKey = 0;
        continue;
      }
    }

    // ── the same again ──
    const base = route.local ? localBaseMs : usualBaseMs;
    const waitMs = Math.max(
      error.retryAfterMs ?? 0,
      error.retryAfterMs === undefined ? backOffMs(retries, base, random) : 0,
    );
    const isWorth = error.plan !== true && waitMs <= (next ? patienceMs : longestWaitMs);
    if (plan.retry && retries < deps.maxRetries && isWorth) {
      retries += 1;
      sameKey += 1;
      const seconds = waitMs < 10_000 ? (waitMs / 1000).toFixed(1) : String(Math.round(waitMs / 1000));
      yield failed(error, "retry", `waiting ${seconds} s, then again (${retries} of ${deps.maxRetries})`, waitMs);
      try {
        await sleep(waitMs, signal, clock);
      } catch {
        yield done({ kind: "aborted", message: "interrupted" });
        return "ended";
      }
      continue;
    }

    // ── another model ──
    if (plan.passMs !== undefined && plan.passMs > 0) {
      const passMs = Math.max(plan.passMs, Math.min(error.retryAfterMs ?? 0, longestWaitMs));
      if (next) experience.passedOverUntil.set(name, clock.now() + passMs);
    }
    if (plan.fallback && next) {
      yield failed(error, "fallback", `falling back to ${routeName(next)}`);
      return "next";
    }
    yield failed(error, "give_up", "giving up");
    yield done(error);
    return "ended";
  }
}

function endpointOf(route: Route, quirks: Quirks, credential: Credential | undefined, facts: ModelFacts): Endpoint {
  const { providerId, protocol, headers, timeouts } = route;
  const bound = facts.maxOutputTokens === undefined ? {} : { defaultMaxTokens: facts.maxOutputTokens };
  return {
    providerId,
    protocol,
    baseUrl: credential?.baseUrl ?? route.baseUrl,
    ...(credential && { key: credential.key }),
    headers,
    quirks: { ...bound, ...quirks },
    timeouts,
  };
}

const noError: ModelError = { kind: "invalid_request", message: "" };
const free = { input: 0, output: 0 };

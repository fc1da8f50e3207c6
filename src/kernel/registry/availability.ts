import { abortable, sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { Availability } from "../../contracts/tool/registry.ts";
import { type ServiceName, servicePurpose } from "../../contracts/tool/services.ts";
import { settingHints } from "../../contracts/tool/tool-result.ts";
import type { AvailabilityCheck, Tool } from "../../contracts/tool/tool.ts";

export interface AvailabilityDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly services: ReadonlySet<ServiceName>;
  readonly env: (name: string) => string | undefined;
  /** The time limit of a check. A check that takes longer counts as failed. */
  readonly checkTimeoutMs: number;
  /** The time for which a result is valid. */
  readonly ttlMs?: number;
  /** A failure that follows a success within this time is ignored at first. */
  readonly graceMs?: number;
}

export interface ToolAvailability extends Availability {
  /** Returns the same checks with other services. */
  withServices(services: ReadonlySet<ServiceName>): ToolAvailability;
}

export function createAvailability(deps: AvailabilityDeps): ToolAvailability {
  return within(deps.services, deps, createChecks(deps));
}

type Ask = (tool: string, check: AvailabilityCheck) => Promise<string | undefined>;

function within(services: ReadonlySet<ServiceName>, deps: AvailabilityDeps, ask: Ask): ToolAvailability {
  const nothing = Promise.resolve(undefined);
  return {
    withServices: (others) => within(others, deps, ask),
    missing(tool) {
      const lacking = lackingOf(tool, services, deps.env);
      if (lacking !== undefined) return Promise.resolve(lacking);
      if (tool.load) return askLoaded(tool.name, tool.load, ask);
      return tool.check ? ask(tool.name, tool.check) : nothing;
    },
  };
}

async function askLoaded(name: string, load: () => Promise<Tool>, ask: Ask): Promise<string | undefined> {
  try {
    const { check } = await load();
    return check && (await ask(name, check));
  } catch (thrown) {
    return `could not be loaded: ${oneLine(reasonOf(thrown), maxReasonChars)}`;
  }
}

interface Answer {
  readonly reason: Promise<string | undefined>;
  readonly until: number;
  readonly goodAt: number;
}

const maxEntries = 512;
const maxReasonChars = 300;
/**
 * The cache time of a result that the grace period overruled: long enough for one build, short enough for an early
 * recheck.
 */
const graceTtlMs = 1000;

/** Runs each check once for concurrent callers, and again only after its result has expired. */
function createChecks(deps: AvailabilityDeps): Ask {
  const { clock, log, checkTimeoutMs, ttlMs = 30_000, graceMs = 60_000 } = deps;
  const answers = new Map<AvailabilityCheck, Answer>();
  const running = new Map<AvailabilityCheck, Promise<string | undefined>>();

  async function run(tool: string, check: AvailabilityCheck): Promise<string | undefined> {
    const failure = await verdictOf(check, checkTimeoutMs, clock);
    const now = clock.elapsed();
    const goodAt = failure === undefined ? now : (answers.get(check)?.goodAt ?? -Infinity);
    const graced = failure !== undefined && now - goodAt < graceMs;
    if (failure !== undefined) log.warn(graced ? "check.graced" : "check.failed", { tool, reason: failure });
    const reason = graced ? undefined : failure;
    answers.delete(check);
    answers.set(check, { reason: Promise.resolve(reason), until: now + (graced ? graceTtlMs : ttlMs), goodAt });
    for (const oldest of answers.keys()) {
      if (answers.size <= maxEntries) break;
      answers.delete(oldest);
    }
    return reason;
  }

  return (tool, check) => {
    const cached = answers.get(check);
    if (cached && clock.elapsed() < cached.until) return cached.reason;
    let pending = running.get(check);
    if (!pending) {
      pending = run(tool, check).finally(() => running.delete(check));
      running.set(check, pending);
    }
    return pending;
  };
}

/** Returns why the tool is unavailable, or undefined if it is available. Never rejects, never exceeds its timeout. */
async function verdictOf(check: AvailabilityCheck, timeoutMs: number, clock: Clock): Promise<string | undefined> {
  const limit = new AbortController();
  const answered = new AbortController();
  sleep(timeoutMs, answered.signal, clock).then(
    () => limit.abort(new Error(`no answer within ${timeoutMs / 1000} s`)),
    () => {},
  );
  try {
    const answer = await abortable(Promise.try(check, limit.signal), limit.signal);
    return answer ? undefined : "its own check says that it cannot work here";
  } catch (thrown) {
    return `its check failed: ${oneLine(reasonOf(thrown), maxReasonChars)}`;
  } finally {
    answered.abort();
  }
}

function lackingOf(tool: Tool, services: ReadonlySet<ServiceName>, env: AvailabilityDeps["env"]): string | undefined {
  if (tool.needs.every((name) => services.has(name)) && tool.requiresEnv.every((name) => env(name))) return undefined;
  const reasons = new Set<string>();
  for (const name of tool.needs) {
    if (!services.has(name)) reasons.add(`needs ${servicePurpose(name)}`);
  }
  const unset = tool.requiresEnv.filter((name) => !env(name));
  if (unset.length > 0) {
    reasons.add(`needs ${settingHints(unset)}`);
  }
  return [...reasons].join("; ");
}

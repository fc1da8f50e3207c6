import { isDeepStrictEqual } from "node:util";

import { waitFor } from "../../../base/async/bounded-wait.ts";
import { whenReady } from "../../../base/async/when-ready.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../../base/result.ts";
import type { CallScope, EffectResolver } from "../../../contracts/tool/dispatch.ts";
import type { Effect, ResolvedEffect } from "../../../contracts/tool/effect.ts";
import { fail, type ToolFailure } from "../../../contracts/tool/tool-result.ts";
import type { PreparedCall, Tool } from "../../../contracts/tool/tool.ts";
import { cancelled } from "../cancelled.ts";

export interface ResolveDeps {
  readonly resolver: EffectResolver;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Returns the resolved effects of the call. If an effect cannot be resolved, the call fails and does not run.
 * `earlier`: previously resolved effects of the same call.
 */
export function resolveEffects(
  tool: Tool,
  prepared: PreparedCall,
  scope: CallScope,
  deps: ResolveDeps,
  earlier?: readonly ResolvedEffect[],
): Promise<Result<readonly ResolvedEffect[], ToolFailure>> | Result<readonly ResolvedEffect[], ToolFailure> {
  return whenReady(declaredEffects(tool, prepared, scope, deps.log), (declared) =>
    declared.length === 0 ? noEffects : resolveDeclared(declared, tool, scope, deps, earlier),
  );
}

const noEffects: Result<readonly ResolvedEffect[], ToolFailure> = ok([]);

async function resolveDeclared(
  declared: readonly Effect[],
  tool: Tool,
  scope: CallScope,
  { resolver, clock }: ResolveDeps,
  earlier: readonly ResolvedEffect[] | undefined,
): Promise<Result<readonly ResolvedEffect[], ToolFailure>> {
  const impossible = declared.flatMap(pathsOf).find((path) => path.includes("\0"));
  if (impossible !== undefined) {
    return fail(`Invalid arguments for ${tool.name}: a path cannot contain NUL`, "invalid_args");
  }
  try {
    const work = resolver.resolve(declared, scope.place, scope.signal, earlier);
    const waited = await waitFor(work, { signal: scope.signal, ms: resolveMs, clock });
    if (waited.how !== "done") {
      const isLate = waited.how === "timeout";
      return err(isLate ? unresolved(tool.name, `no answer within ${resolveMs / 1000}s`) : cancelled(tool.name));
    }
    if (waited.value.ok) return waited.value;
    const { message, invalid, unavailable } = waited.value.error;
    if (unavailable) return fail(`${tool.name} was not run: ${message}`, "unavailable");
    return invalid
      ? fail(`Invalid arguments for ${tool.name}: ${message}`, "invalid_args")
      : err(unresolved(tool.name, message));
  } catch (thrown) {
    return err(unresolved(tool.name, reasonOf(thrown)));
  }
}

/** Returns whether the call would still have the same effects. A reused analysis is the same object. */
export function isSameEffects(one: readonly ResolvedEffect[], other: readonly ResolvedEffect[]): boolean {
  return one.length === other.length && one.every((effect, index) => isSameEffect(effect, other[index]));
}

function isSameEffect(one: ResolvedEffect, other: ResolvedEffect | undefined): boolean {
  if (other === undefined) return false;
  const [before, after] = [Object.entries(one), new Map(Object.entries(other))];
  return before.length === after.size && before.every(([key, value]) => isSameValue(value, after.get(key)));
}

function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || (Array.isArray(one) && isDeepStrictEqual(one, other));
}

/** The limit is high, because a backend may first have to start or fetch its image. */
const resolveMs = 600_000;

/** A tool whose effects function fails counts as a tool without declared effects. */
function declaredEffects(
  tool: Tool,
  prepared: PreparedCall,
  scope: CallScope,
  log: Logger,
): Promise<readonly Effect[]> | readonly Effect[] {
  const failed = (thrown: unknown): readonly Effect[] => {
    log.error("tool.effects_failed", { tool: tool.name, error: reasonOf(thrown) });
    return [{ kind: "opaque" }];
  };
  const read = (effects: unknown): readonly Effect[] => {
    if (!isEffects(effects)) return failed("it did not declare a list of effects");
    return isPageTool(tool) ? effects : effects.map(notOfPage);
  };
  try {
    const effects: unknown = prepared.effects(scope.place);
    return Array.isArray(effects) ? read(effects) : Promise.resolve(effects).then(read).catch(failed);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** Only the browser's own tools act on its page: for other tools, the rules for connections apply. */
export function isPageTool({ toolset, needs }: Tool): boolean {
  return needs.includes("browser") && (toolset === "browser" || toolset === "browser-cdp");
}

function notOfPage(effect: Effect): Effect {
  if (effect.kind !== "network" || effect.isPage === undefined) return effect;
  const { isPage: _, ...connection } = effect;
  return connection;
}

function isEffects(effects: unknown): effects is readonly Effect[] {
  return Array.isArray(effects) && effects.every(isEffect);
}

const shapes: Readonly<Record<Effect["kind"], readonly string[]>> = {
  read: ["path"],
  write: ["path"],
  delete: ["path"],
  move: ["from", "to"],
  exec: ["command", "cwd"],
  process: ["id", "action"],
  network: ["url"],
  message: ["target"],
  state: ["store"],
  spawn: ["agent"],
  sample: ["server"],
  opaque: [],
};

function isEffect(effect: unknown): effect is Effect {
  if (typeof effect !== "object" || effect === null) return false;
  const facts = effect as Record<string, unknown>;
  const { kind } = facts;
  if (typeof kind !== "string" || !Object.hasOwn(shapes, kind)) return false;
  return shapes[kind as Effect["kind"]].every((key) => typeof facts[key] === "string");
}

function pathsOf(effect: Effect): readonly string[] {
  switch (effect.kind) {
    case "read":
    case "write":
    case "delete":
      return [effect.path];
    case "move":
      return [effect.from, effect.to];
    case "exec":
      return [effect.cwd];
    default:
      return [];
  }
}

function unresolved(tool: string, why: string): ToolFailure {
  return fail(`${tool} was not run: its effects could not be determined (${why})`).error;
}

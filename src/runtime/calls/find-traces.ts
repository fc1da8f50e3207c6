import { once } from "../../base/async/once.ts";
import { err, ok, reasonOf } from "../../base/result.ts";
import { homeFolder } from "../../base/this-user.ts";
import type { Environment } from "../../contracts/environment/environment.ts";
import type { EffectResolver } from "../../contracts/tool/dispatch.ts";
import type { Effect } from "../../contracts/tool/effect.ts";

/** Says of commands, besides what `resolver` says of paths, whether they leave a trace: those that do not may run side by side. */
export function findTraces(
  resolver: EffectResolver,
  environment: Pick<Environment, "state">,
  user: string,
): EffectResolver {
  const load = once(() => import("../../safety/policy/leaves-no-trace.ts"));

  async function marked(effect: Effect, signal: AbortSignal): Promise<Effect> {
    if (effect.kind !== "exec" || effect.background) return effect;
    const { leavesNoTrace } = await load();
    const shell = await environment.state(signal);
    const place = { cwd: effect.cwd, home: shell.home ?? homeFolder(), user, shell };
    return leavesNoTrace(effect.command, place) ? { ...effect, leavesNoTrace: true } : effect;
  }
  return {
    async resolve(effects, place, signal) {
      const resolved = await resolver.resolve(effects, place, signal);
      if (!resolved.ok) return resolved;
      try {
        return ok(await Promise.all(resolved.value.map((effect) => marked(effect, signal))));
      } catch (thrown) {
        return err({ message: reasonOf(thrown), unavailable: true });
      }
    },
  };
}

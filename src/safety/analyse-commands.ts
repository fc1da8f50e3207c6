import { once } from "../base/async/once.ts";
import { err, ok, reasonOf } from "../base/result.ts";
import type { Environment } from "../contracts/environment/environment.ts";
import type { PolicyRequest } from "../contracts/safety/approval.ts";
import type { ChangedPaths } from "../contracts/safety/command-analysis.ts";
import type { EffectResolver } from "../contracts/tool/dispatch.ts";
import type { ChangedPlace, Effect, ResolvedEffect } from "../contracts/tool/effect.ts";
import type { Surroundings } from "./surroundings.ts";

interface AnalysisDeps {
  /** Resolves paths. */
  readonly paths: EffectResolver;
  readonly environment: Pick<Environment, "state" | "files">;
  /** Returns the real paths that a command on this machine changes. A person's approval covers only these paths. */
  changedPlaces(changes: ChangedPaths): Promise<readonly ChangedPlace[]>;
  /** Facts that the policy uses too. */
  surroundings(
    request: Pick<PolicyRequest, "place" | "environment" | "effects">,
    signal: AbortSignal,
  ): Promise<Surroundings> | Surroundings;
}

/** Resolves paths and analyses every command, once for each shell state in which it would start. */
export function analyseCommands({ paths, environment, changedPlaces, surroundings }: AnalysisDeps): EffectResolver {
  const load = once(async () => ({
    ...(await import("./policy/commands/analysed-command.ts")),
    ...(await import("./policy/commands/session-files.ts")),
  }));

  async function withPlaces(effect: ResolvedEffect): Promise<ResolvedEffect> {
    const changes = effect.kind === "exec" ? effect.analysis?.changes : undefined;
    const places = changes?.isAll && changes.paths.length > 0 ? await changedPlaces(changes) : undefined;
    return effect.kind === "exec" && places ? { ...effect, places } : effect;
  }

  return {
    async resolve(declared, place, signal, earlier = []) {
      const resolved = await paths.resolve(declared, place, signal);
      if (!resolved.ok || !resolved.value.some(({ kind }) => kind === "exec")) return resolved;
      try {
        const { AnalysedCommand, analyseInSession, startOf } = await load();
        const around = await surroundings({ place, environment, effects: resolved.value }, signal);
        const shell = await environment.state(signal);
        const files = { files: environment.files, startedAt: place.sessionStartedAt };
        const analysed = async (effect: Effect, index: number): Promise<ResolvedEffect> => {
          if (effect.kind !== "exec") return effect;
          const { leavesNoTrace: _, ...exec } = effect;
          const start = startOf(exec.cwd, around, shell);
          const before = earlier[index];
          const reusable = before?.kind === "exec" ? before.analysis : undefined;
          const analysis = await analyseInSession(exec.command, start, files, signal, {
            parse: around.parse,
            earlier: reusable instanceof AnalysedCommand ? reusable : undefined,
          });
          const isQuiet = !exec.background && analysis.leavesNoTrace;
          return { ...exec, ...(isQuiet && { leavesNoTrace: true }), analysis };
        };
        const effects = await Promise.all(resolved.value.map(analysed));
        return ok(place.backend === "local" ? await Promise.all(effects.map(withPlaces)) : effects);
      } catch (thrown) {
        return err({ message: reasonOf(thrown), unavailable: true });
      }
    },
  };
}

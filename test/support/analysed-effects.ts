import type { ResolvedEffect } from "../../src/contracts/tool/effect.ts";
import type { PreparedCall } from "../../src/contracts/tool/tool.ts";
import { AnalysedCommand } from "../../src/safety/policy/commands/analysed-command.ts";

/** The effects of a call with the analysis of its command, as the effect resolver returns them. */
export function analysedEffects({ effects }: PreparedCall, cwd = "/project"): readonly ResolvedEffect[] {
  const start = { cwd, home: "/home/anna", user: "anna", functions: {}, aliases: {}, variables: {} };
  return effects({ cwd, backend: "local" }).map((effect) =>
    effect.kind === "exec" ? { ...effect, analysis: new AnalysedCommand(effect.command, start) } : effect,
  );
}

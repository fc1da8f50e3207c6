import type { ResolvedEffect } from "../../src/contracts/tool/effect.ts";
import type { PreparedCall } from "../../src/contracts/tool/tool.ts";
import { AnalysedCommand } from "../../src/safety/policy/commands/analysed-command.ts";

/** The effects of a call with the analysis of its command, in the form of the effect resolver. */
export async function analysedEffects({ effects }: PreparedCall, cwd = "/project"): Promise<readonly ResolvedEffect[]> {
  const start = { cwd, home: "/home/anna", user: "anna", functions: {}, aliases: {}, variables: {} };
  const declared = await effects({ cwd, backend: "local" });
  return declared.map((effect) =>
    effect.kind === "exec" ? { ...effect, analysis: new AnalysedCommand(effect.command, start) } : effect,
  );
}

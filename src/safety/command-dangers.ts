import type { StartState } from "./command/shell/shell-state.ts";

/**
 * Returns the dangerous effects of a command line in the settings, one phrase each, most severe first. Runs nothing.
 */
export async function commandDangers(
  line: string,
  place: Pick<StartState, "cwd" | "home" | "user">,
): Promise<readonly string[]> {
  const { judgeCommand } = await import("./command/judge-command.ts");
  const { findings } = judgeCommand(line, { ...place, functions: {}, aliases: {}, variables: {} });
  return [...new Set(findings.map(({ sentence }) => sentence))];
}

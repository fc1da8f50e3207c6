import { err, type Result } from "../../../base/result.ts";
import type { Environment } from "../../../contracts/environment/environment.ts";
import { pipedEngine } from "./piped-engine.ts";
import { ripgrepEngine } from "./ripgrep.ts";
import type { SearchPlace } from "./search-command.ts";
import type { SearchEngine, SearchFault } from "./search.ts";

/**
 * Uses the first engine that works: on this machine the packaged ripgrep; elsewhere the `rg` of the environment, or the
 * packaged one here with the files piped through it.
 */
export async function useEngine<T>(
  environment: Environment,
  place: SearchPlace,
  work: (engine: SearchEngine) => Promise<Result<T, SearchFault>>,
): Promise<{ readonly engine: string; readonly result: Result<T, SearchFault> }> {
  const packaged = await packagedRipgrep();
  const isLocal = environment.kind === "local";
  const engines = [
    ...(isLocal && packaged !== undefined ? [ripgrepEngine(place, packaged)] : []),
    ripgrepEngine(place),
    ...(!isLocal && packaged !== undefined ? [pipedEngine(place, packaged)] : []),
  ];
  for (const engine of engines) {
    const result = await work(engine);
    if (result.ok || result.error.kind !== "no_engine") return { engine: engine.name, result };
  }
  const message = "ripgrep is missing: install rg, or install Hermes again";
  return { engine: "none", result: err({ kind: "failed", message }) };
}

/** The path of the packaged program. Undefined if the package has none for this machine. */
async function packagedRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return undefined;
  }
}

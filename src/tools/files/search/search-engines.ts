import { err, type Result } from "../../../base/result.ts";
import { ownEngine } from "./own-engine.ts";
import { ripgrepEngine } from "./ripgrep.ts";
import type { SearchPlace } from "./search-command.ts";
import type { SearchEngine, SearchFault } from "./search.ts";

/** Asks the first engine that can be used here: ours of this machine, the environment's own `rg`, and one without it. */
export async function withEngine<T>(
  place: SearchPlace,
  work: (engine: SearchEngine) => Promise<Result<T, SearchFault>>,
): Promise<{ readonly engine: string; readonly result: Result<T, SearchFault> }> {
  const packaged = place.environment.kind === "local" ? await packagedRipgrep() : undefined;
  const engines = [
    ...(packaged === undefined ? [] : [ripgrepEngine(place, packaged)]),
    ripgrepEngine(place),
    ownEngine(place),
  ];
  for (const engine of engines) {
    const result = await work(engine);
    if (result.ok || result.error.kind !== "no_engine") return { engine: engine.name, result };
  }
  return { engine: "none", result: err({ kind: "failed", message: "there is nothing to search with" }) };
}

/** Undefined where there is no program for this machine. */
async function packagedRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return undefined;
  }
}

import { isUntrusted, type TextSource, type TurnTaint } from "../contracts/safety/text-source.ts";

/** For one turn. `carried`: what is still before the model from earlier. */
export function createTurnTaint(carried: readonly TextSource[] = []): TurnTaint {
  const read = new Map<string, TextSource>();
  const record = (source: TextSource) => {
    if (isUntrusted(source) && read.size < mostSources) read.set(`${source.kind} ${source.name}`, source);
  };
  for (const source of carried) record(source);
  return { record, sources: () => [...read.values()] };
}

/** One is enough to ask; nobody reads a list longer than this. */
const mostSources = 50;

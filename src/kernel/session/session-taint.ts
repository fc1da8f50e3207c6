import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import { readTextSources, type TextSource, type TurnTaint, isUntrusted } from "../../contracts/safety/text-source.ts";
import type { OwnSessionSearch } from "../../contracts/session/session-search.ts";
import type { Entry, EntryBody, OwnSessions } from "../../contracts/session/session.ts";
import type { Services } from "../../contracts/tool/services.ts";

/**
 * The sources of untrusted text in the context, over all turns. A summary may repeat the text in other words, so no
 * source is ever removed. Each source is stored when it is first read, and also applies to a resumed session.
 */
export function storedTaint(
  entries: readonly Entry[],
  store: (body: EntryBody) => Promise<unknown>,
  log: Logger,
): () => TurnTaint {
  let carried = restoredSources(entries);
  return () => {
    const taint = createTurnTaint(carried);
    return {
      sources: taint.sources,
      record(source) {
        taint.record(source);
        const sources = taint.sources();
        if (sources.length === carried.length) return;
        carried = sources;
        const value = sources.map(({ kind, name }) => ({ kind, name: cut(name, 400) }));
        store({ type: "state", name: "taint", value }).catch((thrown: unknown) =>
          log.error("taint.unstored", { error: reasonOf(thrown) }),
        );
      },
    };
  };
}

/**
 * Wraps the services for one turn: reading another session also marks the turn with that session's untrusted sources.
 */
export function taintingReads(services: Partial<Services>, record: TurnTaint["record"]): Partial<Services> {
  const { sessions, sessionSearch } = services;
  if (!sessions || !sessionSearch) return services;
  const path: OwnSessions["path"] = async (...args) => {
    const entries = await sessions.path(...args);
    for (const source of restoredSources(entries)) record(source);
    return entries;
  };
  const search: OwnSessionSearch["search"] = async (...args) => {
    const answer = await sessionSearch.search(...args);
    for (const source of answer.hits.flatMap(({ strangers = [] }) => strangers)) record(source);
    return answer;
  };
  return {
    ...services,
    sessions: { ...sessions, path },
    sessionSearch: { ...sessionSearch, search },
  };
}

function restoredSources(entries: readonly Entry[]): readonly TextSource[] {
  const last = entries.findLast((entry) => entry.type === "state" && entry.name === "taint");
  return last?.type === "state" ? readTextSources(last.value) : [];
}

/** The untrusted sources of one turn. `carried`: sources from earlier turns that are still in the context. */
export function createTurnTaint(carried: readonly TextSource[] = []): TurnTaint {
  const read = new Map<string, TextSource>();
  const record = (source: TextSource) => {
    if (isUntrusted(source) && read.size < maxSources) read.set(`${source.kind} ${source.name}`, source);
  };
  for (const source of carried) record(source);
  return { record, sources: () => [...read.values()] };
}

/** The maximum number of listed sources. One source is enough to require approval, and nobody reads a longer list. */
const maxSources = 50;

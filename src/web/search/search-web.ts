import type { Clock } from "../../base/clock.ts";
import type { TurnId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import type { Pages, SearchReport, SearchWish, WebHit } from "../../contracts/web/pages.ts";
import { chooseSearch, type ChosenSearch, type SearchDeps } from "./choose-search.ts";

export interface SearchWebDeps extends SearchDeps {
  /** The rule of the person's block list that covers a host. */
  blockedBy(host: string): Promise<string | undefined>;
  readonly clock: Clock;
}

/** The implementation of `web_search`: chooses the engine, counts, filters and limits. */
export function createSearch(deps: SearchWebDeps): Pick<Pages, "search" | "searchTargets"> {
  const counts = new Map<TurnId, number>();
  let last: { readonly chosen: Promise<Result<ChosenSearch>>; readonly at: number } | undefined;

  /** Looking for a server takes a moment, so a choice is kept for a while. */
  function choose(signal: AbortSignal): Promise<Result<ChosenSearch>> {
    const now = deps.clock.elapsed();
    if (last && now - last.at < keptMs && !signal.aborted) return last.chosen;
    last = { chosen: chooseSearch(deps, signal), at: now };
    return last.chosen;
  }

  function isOverLimit(turn: TurnId | undefined): boolean {
    if (turn === undefined) return false;
    const count = (counts.get(turn) ?? 0) + 1;
    counts.delete(turn);
    counts.set(turn, count);
    const [oldest] = counts.keys();
    if (counts.size > maxTurns && oldest !== undefined) counts.delete(oldest);
    return count > maxSearches;
  }

  async function search({ query, limit, turnId }: SearchWish, signal: AbortSignal): Promise<Result<SearchReport>> {
    if (isOverLimit(turnId))
      return err({ message: `This turn has made ${maxSearches} searches, which is the limit. Work with the results.` });
    const chosen = await choose(signal);
    if (!chosen.ok) return chosen;
    const { backend, note } = chosen.value;
    const answered = await backend.search(query, limit, signal);
    if (!answered.ok) {
      // A server that was found may have stopped.
      if (note !== undefined) last = undefined;
      return answered;
    }
    const { shown, blocked } = await withoutBlocked(answered.value.hits, deps.blockedBy);
    const hits = shown.slice(0, limit).map(({ url, title, description }) => ({
      url,
      title: oneLine(withoutMarkup(title), 300),
      description: oneLine(withoutMarkup(description), maxDescription),
    }));
    const notes = [
      ...(note === undefined ? [] : [note]),
      ...(answered.value.notes ?? []),
      ...(blocked > 0 ? [`${plural(blocked, "result")} of blocked sites left out.`] : []),
    ];
    return ok({ backend: backend.name, hits, notes });
  }

  return {
    search,
    async searchTargets() {
      const { signal } = new AbortController();
      const chosen = await choose(signal);
      return chosen.ok ? chosen.value.backend.targets(signal) : [];
    },
  };
}

const maxSearches = 50;
const maxTurns = 200;
const keptMs = 300_000;
const maxDescription = 1_500;

async function withoutBlocked(
  hits: readonly WebHit[],
  blockedBy: SearchWebDeps["blockedBy"],
): Promise<{ readonly shown: readonly WebHit[]; readonly blocked: number }> {
  const shown: WebHit[] = [];
  for (const hit of hits) {
    const host = URL.parse(hit.url)?.hostname;
    if (host !== undefined && (await blockedBy(host)) === undefined) shown.push(hit);
  }
  return { shown, blocked: hits.length - shown.length };
}

/** Engines mark the words of the query: `<strong>`. */
function withoutMarkup(text: string): string {
  return text
    .replaceAll(/<\/?(?:strong|b|em|i|mark|span|br)\b[^<>]*>/giu, "")
    .replaceAll(/&(amp|lt|gt|quot|#39|#x27|nbsp);/gu, (_, name: string) => characters[name] ?? " ");
}

const characters: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  "#x27": "'",
  nbsp: " ",
};

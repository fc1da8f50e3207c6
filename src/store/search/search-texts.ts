import type { DatabaseSync } from "node:sqlite";

import { asId, type SessionId } from "../../base/ids.ts";
import type { Principal } from "../../contracts/principal.ts";
import type { SearchAnswer, SearchedRole, SearchHit, SearchQuery } from "../../contracts/session-search.ts";
import { entryId, pkOf } from "../entry-row.ts";
import { ownerWord, spanWords } from "./filter-words.ts";
import { findSpots } from "./find-spots.ts";
import { planSearch } from "./plan-search.ts";
import { readQuery } from "./read-query.ts";
import { createTextScorer, type FoldedText, foldText, type TextScore } from "./score-text.ts";
import { createSearchWords, quoted, remembering } from "./search-words.ts";
import { searchedText } from "./searched-text.ts";
import type { FeedSession, SessionFeed, WantedTexts } from "./session-feed.ts";
import { snippetOf } from "./snippet.ts";
import type { Splitter } from "./split-words.ts";

export type TextSearch = (query: SearchQuery, who: Principal, now: number) => SearchAnswer;

/** A text that was found by its words, read from the store. */
interface Candidate {
  readonly place: number;
  readonly session: number;
  readonly root: number;
  readonly at: number;
  readonly role: SearchedRole;
  readonly text: string;
  readonly folded: FoldedText;
}

type Scored = Candidate & { readonly coverage: number; readonly rank: number };

/**
 * Finds texts by their words, reads the newest of them from the store, and orders those by how well they fit. How many
 * are read is bounded, so a search takes milliseconds however large the store is.
 */
export function createTextSearch(database: DatabaseSync, feed: SessionFeed, splitter: Splitter): TextSearch {
  const all = createSearchWords(database);

  return (query, who, now) => {
    const words = remembering(all);
    const read = readQuery(query.text, splitter);
    const behind = Math.max(0, feed.newest() - words.place());
    const asked = askedFor(query, who);
    const sessions = createSessions(feed, query, who);
    const notes: string[] = [];
    if (read.isCut) notes.push("the query is long: only its beginning was looked for");
    if (read.groups.length === 0 || asked.owners === undefined) return { hits: [], bounded: false, behind };
    const order = query.sort ?? "newest";
    const hasPhrase = [...read.groups.flat(), ...read.without].some(({ isPhrase }) => isPhrase);
    const enough = Math.min(mostTexts, Math.max(fewestTexts, query.limit * textsEach));
    const texts = new Map<number, Candidate | undefined>();
    let isBounded = false;
    let plan = planSearch(read, words, "exact");

    /** Undefined: it is gone, or not for whoever asks. */
    function candidate(place: number): Candidate | undefined {
      if (texts.has(place)) return texts.get(place);
      const found = readCandidate(place);
      texts.set(place, found);
      return found;
    }

    /** The first of these that are for whoever asks, as far as can be told without reading them. */
    function wantedOf(places: readonly number[], limit: number): readonly number[] {
      const wanted: number[] = [];
      for (let from = 0; from < places.length && wanted.length < limit; from += atOnce) {
        const some = places.slice(from, from + atOnce);
        wanted.push(...(feed.wanted(some, asked.wanted) ?? some));
      }
      return wanted.slice(0, limit);
    }

    /**
     * Places of texts that fit, for whoever asks. The first are looked through one by one: most often they are, and of few
     * FTS5 would go through all that the owner ever said. Behind many of others it finds the owner's itself.
     */
    function placesOf(expression: string, limit: number, least = limit): Places {
      const mostFew = Math.max(limit, Math.min(2_000, Math.max(250, Math.floor(words.total() / 500))));
      const few = words.texts(`${expression}${plan.without}`, mostFew, order);
      // Which of two said it is known only when it is read.
      const isOfBoth = asked.roles.includes("user") === asked.roles.includes("assistant");
      const isAll = few.length < mostFew;
      const wanted = isAll || isOfBoth ? wantedOf(few, isOfBoth ? limit : limit * 4) : [];
      if (isAll || wanted.length >= least) return { places: wanted, isAll: isAll && wanted.length < limit };
      const first = ownPlacesOf(expression, limit, limit * 2);
      // Most of them may be of conversations that are not looked through.
      return first.isAll || first.places.length >= least ? first : ownPlacesOf(expression, limit, mostOwn);
    }

    function ownPlacesOf(expression: string, limit: number, many: number): Places {
      const own = words.texts(`${expression} AND ${asked.owners}${asked.time}${plan.without}`, many, order);
      const places = wantedOf(own, limit);
      return { places, isAll: own.length < many && places.length < limit };
    }

    function readCandidate(place: number): Candidate | undefined {
      const entry = feed.entry(place);
      const root = entry && sessions.rootOf(entry.session, place);
      if (!entry || root === undefined) return undefined;
      const { at, session } = entry;
      if (at < asked.wanted.since || at > asked.wanted.until) return undefined;
      const said = searchedText(entry.entry());
      if (!said || !asked.roles.includes(said.role)) return undefined;
      return { place, session, root, at, ...said, folded: foldText(said.text) };
    }

    const rankOf = (score: TextScore, { at, session }: Candidate): number =>
      score.score *
      (0.3 + 0.7 * score.coverage ** 2) *
      (1 + newerBefore * 0.5 ** (Math.max(0, now - at) / newDays)) *
      (demoted.has(sessions.get(session)?.source ?? "") ? 0.5 : 1);

    /** Those that hold, of all that were read until now. */
    function scored(least: number): readonly Scored[] {
      const score = createTextScorer(plan.groups, read, splitter);
      return [...texts.values()].flatMap((each) => {
        const found = each && score(each.folded);
        if (!found || found.coverage < least) return [];
        return [{ ...each, coverage: found.coverage, rank: rankOf(found, each) }];
      });
    }

    /** Reads the texts that have all of it. */
    function readAll(): void {
      if (plan.all === undefined) return;
      const score = hasPhrase ? createTextScorer(plan.groups, read, splitter) : undefined;
      const { places, isAll } = placesOf(plan.all, hasPhrase ? enough * timesForPhrases : enough);
      if (!isAll) isBounded = true;
      let held = 0;
      for (const place of places) {
        const found = candidate(place);
        if (found && (!score || score(found.folded))) held++;
        if (held < enough) continue;
        isBounded = true;
        return;
      }
    }

    /** Reads the texts that have the most telling of it. */
    function readBest(): void {
      const best = new Map<number, number>();
      for (const { expression, weight } of plan.single.slice(0, mostSingles)) {
        const { places, isAll } = placesOf(expression, mostPlaces, mostPlaces / 3);
        if (!isAll) isBounded = true;
        for (const place of places) best.set(place, (best.get(place) ?? 0) + weight);
        if (best.size > mostPlaces * 3) break;
      }
      const sorted = [...best].toSorted(([one, a], [two, b]) => b - a || two - one).slice(0, enough);
      for (const [place] of sorted) candidate(place);
    }

    const rootsOf = (found: readonly Scored[]) => new Set(found.map(({ root }) => root)).size;

    readAll();
    let found = scored(wholly);
    if (rootsOf(found) < query.limit) {
      plan = planSearch(read, words, "loose");
      readAll();
      found = scored(plan.instead.length > 0 ? partly : nearly);
      for (const { written, meant } of plan.instead) notes.push(insteadNote(written, meant));
      if (rootsOf(found) < query.limit && (plan.single.length > 1 || plan.all === undefined)) {
        const isNone = found.length === 0;
        readBest();
        const some = scored(least);
        const best = some.reduce((most, { coverage }) => Math.max(most, coverage), 0);
        found = some.filter(({ coverage }) => coverage >= best * nearBest);
        if (isNone && found.length > 0) notes.push("nothing has all of it: these have most of it");
      }
    }

    function* titleHits(titles: string): Generator<{ readonly root: number; readonly hit: SearchHit }, void, void> {
      const numbers = words.titles(`${titles} AND ${quoted(ownerWord(who.id, "title"))}${plan.without}`, mostTitles);
      for (const number of numbers) {
        const session = sessions.get(number);
        // Its first words are most often there.
        const text = feed
          .firstOf(number, mostFirsts)
          .values()
          .map(candidate)
          .find((each) => each);
        if (!session || !text) continue;
        const snippet = snippetOf(session.title ?? "", findSpots(session.title ?? "", plan.groups, splitter));
        yield { root: text.root, hit: { ...placeOf(text, session, feed), snippet, isTitle: true, more: 0 } };
      }
    }

    const hits = new Map<number, SearchHit>();
    for (const { root, hit } of plan.titles === undefined ? [] : titleHits(plan.titles)) {
      if (!hits.has(root)) hits.set(root, hit);
      if (hits.size >= query.limit) break;
    }
    for (const each of found.toSorted(compare(query.sort))) {
      const known = hits.get(each.root);
      if (known) hits.set(each.root, { ...known, more: known.more + 1 });
      const session = known ? undefined : sessions.get(each.session);
      if (!session || hits.size >= query.limit) continue;
      const snippet = snippetOf(each.text, findSpots(each.text, plan.groups, splitter));
      hits.set(each.root, { ...placeOf(each, session, feed), snippet, more: 0 });
    }
    const shown = [...hits.values()];
    if (query.sort) shown.sort((one, two) => (query.sort === "newest" ? two.at - one.at : one.at - two.at));
    return {
      hits: shown.slice(0, query.limit),
      ...(notes.length > 0 && { note: notes.join("; ") }),
      bounded: isBounded || plan.isBounded,
      behind,
    };
  };
}

/** How many texts are read from the store for one search, for each session that is asked for and at all. */
const textsEach = 8;
const fewestTexts = 40;
const mostTexts = 80;
/** Of phrases many must be read to find the few that have the words together. */
const timesForPhrases = 4;
/** How many are asked about in one go: most often those are enough. */
const atOnce = 160;
const mostOwn = 2_000;
const mostSingles = 12;
const mostPlaces = 400;
const mostTitles = 6;
const mostFirsts = 3;
const wholly = 0.999;
const nearly = 0.55;
const partly = 0.35;
const least = 0.01;
const nearBest = 0.6;
const newerBefore = 0.3;
const newDays = 30 * 86_400_000;
/** What nobody said to anybody. */
const hidden: ReadonlySet<string> = new Set(["subagent", "kanban", "tool"]);
const demoted: ReadonlySet<string> = new Set(["cron"]);

interface Places {
  readonly places: readonly number[];
  /** No more of them were found than these. */
  readonly isAll: boolean;
}

interface AskedFor {
  readonly roles: readonly SearchedRole[];
  readonly owners: string | undefined;
  readonly time: string;
  readonly wanted: WantedTexts;
}

/** Whose, by whom and when, as words and as facts. */
function askedFor(query: SearchQuery, who: Principal): AskedFor {
  const { roles = ["user", "assistant"], since, until, current } = query;
  const owners = roles.map((role) => quoted(ownerWord(who.id, role)));
  const hasTime = since !== undefined || until !== undefined;
  const span = hasTime ? spanWords(Math.max(0, since ?? 0), Math.min(until ?? lastDay, lastDay)) : undefined;
  return {
    roles,
    owners: owners.length === 0 || span?.length === 0 ? undefined : `(${owners.join(" OR ")})`,
    time: span ? ` AND (${span.map(quoted).join(" OR ")})` : "",
    wanted: {
      principal: who.id,
      isSaid: roles.some((role) => role !== "tool"),
      isOutput: roles.includes("tool"),
      since: since ?? 0,
      until: until ?? Number.MAX_SAFE_INTEGER,
      withoutSources: [...hidden],
      withoutSessions: query.without ?? [],
      current: { id: current?.sessionId ?? "", through: placeThrough(query) },
    },
  };
}

/** Up to where the conversation that asks is looked through. */
function placeThrough({ current }: SearchQuery): number {
  return current?.through === undefined ? -1 : pkOf(current.through);
}

/** 2100: what is behind it is not asked for by day. */
const lastDay = 4_102_444_800_000;

/** The sessions of one search, each asked for once. */
function createSessions(feed: SessionFeed, query: SearchQuery, who: Principal) {
  const { without = [], current } = query;
  const known = new Map<number, FeedSession | undefined>();
  const left: ReadonlySet<string> = new Set<string>(without);
  const through = placeThrough(query);

  function get(pk: number): FeedSession | undefined {
    if (!known.has(pk)) known.set(pk, feed.session(pk));
    return known.get(pk);
  }

  /** The one that all of a family come from. Undefined: it is not for whoever asks. */
  function rootOf(pk: number, place: number): number | undefined {
    const own = get(pk);
    if (!own || own.principal !== who.id || own.isDeleted || hidden.has(own.source)) return undefined;
    let root = pk;
    for (let depth = 0; depth < mostDepth; depth++) {
      const session = get(root);
      if (!session || left.has(session.id)) return undefined;
      if (session.id === current?.sessionId && !(root === pk && place <= through)) return undefined;
      if (session.parent === null || get(session.parent)?.principal !== who.id) break;
      root = session.parent;
    }
    return root;
  }

  return { get, rootOf };
}

const mostDepth = 50;

function placeOf(
  { place, role, at, session: pk }: Candidate,
  session: FeedSession,
  feed: SessionFeed,
): Omit<SearchHit, "snippet" | "more"> {
  const strangers = feed.strangersOf(pk);
  const where = { sessionId: asId<SessionId>(session.id), entry: entryId(place), role, at };
  return strangers.length === 0 ? where : { ...where, strangers };
}

function compare(sort: SearchQuery["sort"]): (one: Scored, two: Scored) => number {
  if (sort === "newest") return (one, two) => two.at - one.at;
  if (sort === "oldest") return (one, two) => one.at - two.at;
  return (one, two) => two.rank - one.rank || two.place - one.place;
}

function insteadNote(written: string, meant: readonly string[]): string {
  return `hardly anything has "${written}": also looked for ${meant.map((word) => `"${word}"`).join(", ")}`;
}

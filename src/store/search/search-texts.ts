import type { DatabaseSync } from "node:sqlite";

import { asId, type SessionId } from "../../base/ids.ts";
import { oneLine } from "../../base/text/text.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SearchAnswer, SearchedRole, SearchHit, SearchQuery } from "../../contracts/session/session-search.ts";
import { entryId } from "../entry-row.ts";
import { ownerWord } from "./filter-words.ts";
import { planSearch } from "./plan-search.ts";
import { readQuery } from "./read-query.ts";
import {
  findMatchRanges,
  type MatchRange,
  createTextScorer,
  type FoldedText,
  foldText,
  type TextScore,
  type TextScorer,
} from "./score-text.ts";
import { searchConditions, createRoots } from "./search-conditions.ts";
import { createSearchWords, quoted, cacheLookups } from "./search-words.ts";
import { searchedText } from "./searched-text.ts";
import type { FeedSession, FeedText, SessionFeed } from "./session-feed.ts";
import type { Splitter } from "./split-words.ts";

export interface TextSearch {
  /** How many store entries are not in the search file. */
  behind(): number;
  find(query: SearchQuery, who: Principal, now: number): SearchAnswer;
}

/** A matching text, read from the store. */
interface Candidate {
  readonly place: number;
  readonly session: number;
  readonly root: number;
  readonly at: number;
  readonly source: string;
  readonly role: SearchedRole;
  readonly text: string;
  readonly folded: FoldedText;
}

type Scored = Candidate & { readonly coverage: number; readonly rank: number };

/**
 * Finds texts by their words, reads the newest of them from the store, and ranks them. The number of reads is limited,
 * so a search takes milliseconds in a store of any size.
 */
export function createTextSearch(database: DatabaseSync, feed: SessionFeed, splitter: Splitter): TextSearch {
  const all = createSearchWords(database);

  const behindBy = () => Math.max(0, feed.newest() - all.place());

  function find(query: SearchQuery, who: Principal, now: number): SearchAnswer {
    const words = cacheLookups(all);
    const read = readQuery(query.text, splitter);
    const behind = behindBy();
    const request = searchConditions(query, who, now);
    const { own } = request;
    const rootOf = createRoots(feed, request);
    const notes: string[] = [];
    if (read.isCut) notes.push("the query is long: only its beginning was used");
    if (read.groups.length === 0 || own === undefined) return { hits: [], bounded: false, behind };
    const order = query.sort ?? "newest";
    // The role of the author is known only after reading the text.
    const isOfBoth = request.roles.includes("user") === request.roles.includes("assistant");
    const hasPhrase = [...read.groups.flat(), ...read.without].some(({ isPhrase }) => isPhrase);
    const enough = Math.min(maxTextsRead, Math.max(minTexts, query.limit * textsEach));
    const texts = new Map<number, Candidate>();
    let isBounded = false;
    let hasUnsound = false;
    let plan = planSearch(read, words, request.ever, "exact");

    /** Yields the candidates that the principal may see, one by one, without excluded sessions. */
    function* candidates(places: readonly number[], without: readonly number[] = []): Generator<Candidate, void, void> {
      const fresh: number[] = [];
      for (const place of places) {
        const cached = texts.get(place);
        if (cached && !without.includes(cached.session)) yield cached;
        else if (!cached) fresh.push(place);
      }
      for (const text of feed.wanted(fresh, { ...request.wanted, withoutNumbers: without })) {
        const result = candidate(text);
        if (!result) continue;
        texts.set(result.place, result);
        yield result;
      }
    }

    function candidate(text: FeedText): Candidate | undefined {
      const root = rootOf(text);
      const entry = root === undefined ? undefined : text.entry();
      if (entry?.type === "damaged") hasUnsound = true;
      const content = entry && searchedText(entry);
      if (root === undefined || !content || !request.roles.includes(content.role)) return undefined;
      const { place, session, at: createdAt, of } = text;
      return { place, session, root, at: createdAt, source: of.source, ...content, folded: foldText(content.text) };
    }

    /**
     * Yields row ids of matching texts in two steps: first of all owners and, if those are not enough, only of this
     * owner. Usually the majority of the first ones belongs to the owner; the second step is slower for rare words.
     */
    function* placesOf(expression: string): Generator<Places, void, void> {
      const maxFew = Math.min(2_000, Math.max(250, Math.floor(words.total() / 500)));
      const few = words.texts(`${expression}${plan.without}`, maxFew, order);
      const isAll = few.length < maxFew;
      if (isAll || isOfBoth) yield { places: few, isAll };
      for (const many of isAll ? [] : [maxFew, maxOwn]) {
        const places = words.texts(`${expression}${own}${plan.without}`, many, order);
        yield { places, isAll: places.length < many };
      }
    }

    /** The matches among all texts read so far. */
    function scored(minimum: number): readonly Scored[] {
      const score = createTextScorer(plan.groups, read, splitter);
      return [...texts.values()].flatMap((each) => {
        const match = score(each.folded);
        if (!match || match.coverage < minimum) return [];
        return [{ ...each, coverage: match.coverage, rank: rankOf(match, each, now) }];
      });
    }

    /** Reads texts that match all terms. */
    function readAll(): void {
      if (plan.all === undefined) return;
      const score = hasPhrase ? createTextScorer(plan.groups, read, splitter) : undefined;
      const maxCount = hasPhrase ? enough * timesForPhrases : enough;
      for (const { places, isAll } of placesOf(plan.all)) {
        const holding: Candidate[] = [];
        let looked = 0;
        for (const matches of candidates(places)) {
          looked++;
          if (!score || score(matches.folded)) holding.push(matches);
          if (holding.length >= enough || looked >= maxCount) break;
        }
        const isEnough = holding.length >= enough || looked >= maxCount;
        if (isEnough) isBounded = true;
        if (isEnough && readElsewhere(places, holding, maxCount, score)) return;
        if (isAll) return;
      }
      isBounded = true;
    }

    /**
     * Reads texts of other sessions too, because one long session may fill the result. Returns whether there are
     * enough sessions.
     */
    function readElsewhere(
      places: readonly number[],
      existing: readonly Candidate[],
      maxTexts: number,
      score?: TextScorer,
    ): boolean {
      const roots = new Set(existing.map(({ root }) => root));
      const sessions = new Set(existing.map(({ session }) => session));
      let rest = places.filter((place) => !texts.has(place));
      let left = maxTexts;
      const nextHolding = (): Candidate | undefined => {
        for (const candidate of candidates(rest, [...sessions])) {
          if (--left < 0) return undefined;
          if (!score || score(candidate.folded)) return candidate;
        }
        return undefined;
      };
      while (roots.size < query.limit) {
        const next = nextHolding();
        if (!next) break;
        roots.add(next.root);
        sessions.add(next.session);
        rest = rest.slice(rest.indexOf(next.place) + 1);
      }
      return roots.size >= query.limit;
    }

    /** Reads texts that match only the terms with the highest weight. */
    function readBest(): void {
      for (const whose of isOfBoth ? ["", own] : [own]) {
        const best = new Map<number, number>();
        let isAll = true;
        for (const { expression, weight } of plan.single.slice(0, maxSingles)) {
          const places = words.texts(`${expression}${whose}${plan.without}`, maxPlaces, order);
          if (places.length === maxPlaces) isAll = false;
          for (const place of places) best.set(place, (best.get(place) ?? 0) + weight);
          if (best.size > maxPlaces * 3) break;
        }
        const fresh = [...best].filter(([place]) => !texts.has(place));
        const sorted = fresh.toSorted(([one, a], [two, b]) => b - a || two - one).map(([place]) => place);
        const looked = candidates(sorted).take(enough).toArray();
        if (!isAll) isBounded = true;
        if (looked.length === enough && readElsewhere(sorted, looked, enough)) return;
        if (isAll) return;
      }
    }

    const rootsOf = (scoredTexts: readonly Scored[]) => new Set(scoredTexts.map(({ root }) => root)).size;

    readAll();
    let scoredTexts = scored(wholly);
    if (rootsOf(scoredTexts) < query.limit) {
      plan = planSearch(read, words, request.ever, "loose");
      readAll();
      scoredTexts = scored(plan.instead.length > 0 ? partly : nearly);
      for (const { written, meant: intended } of plan.instead) notes.push(insteadNote(written, intended));
      if (rootsOf(scoredTexts) < query.limit && (plan.single.length > 1 || plan.all === undefined)) {
        const isNone = scoredTexts.length === 0;
        readBest();
        const some = scored(min);
        const best = some.reduce((highest, { coverage }) => Math.max(highest, coverage), 0);
        scoredTexts = some.filter(({ coverage }) => coverage >= best * nearBest);
        if (isNone && scoredTexts.length > 0) notes.push("no text contains all words: these contain most of them");
      }
    }

    function* titleHits(titles: string): Generator<{ readonly root: number; readonly hit: SearchHit }, void, void> {
      const numbers = words.titles(`${titles} AND ${quoted(ownerWord(who.id, "title"))}${plan.without}`, maxTitles);
      for (const number of numbers) {
        const session = feed.session(number);
        // The first texts of a session usually contain the words of its title.
        const text = candidates(feed.firstOf(number, maxFirsts)).find((each) => each);
        if (!session || !text) continue;
        const snippet = snippetOf(session.title ?? "", findMatchRanges(session.title ?? "", plan.groups, splitter));
        yield { root: text.root, hit: { ...placeOf(text, session, feed), snippet, isTitle: true, more: 0 } };
      }
    }

    const hits = new Map<number, SearchHit>();
    for (const { root, hit } of plan.titles === undefined ? [] : titleHits(plan.titles)) {
      if (!hits.has(root)) hits.set(root, hit);
      if (hits.size >= query.limit) break;
    }
    for (const each of scoredTexts.toSorted(compare(query.sort))) {
      const previous = hits.get(each.root);
      if (previous) hits.set(each.root, { ...previous, more: previous.more + 1 });
      const session = previous ? undefined : feed.session(each.session);
      if (!session || hits.size >= query.limit) continue;
      const snippet = snippetOf(each.text, findMatchRanges(each.text, plan.groups, splitter));
      hits.set(each.root, { ...placeOf(each, session, feed), snippet, more: 0 });
    }
    if (hasUnsound || feed.hasDamage())
      notes.push("parts of the store are damaged and were skipped: hermes sessions verify");
    const shown = [...hits.values()];
    if (query.sort) shown.sort((one, two) => (query.sort === "newest" ? two.at - one.at : one.at - two.at));
    return {
      hits: shown.slice(0, query.limit),
      ...(notes.length > 0 && { note: notes.join("; ") }),
      bounded: isBounded || plan.isBounded,
      behind,
    };
  }

  return { behind: behindBy, find };
}

/** The maximum number of texts read for one search, per requested session and in total. */
const textsEach = 13;
const minTexts = 40;
const maxTextsRead = 160;
/** A phrase search reads this many times more texts, because few of them have adjacent words. */
const timesForPhrases = 4;
const maxOwn = 2_000;
const maxSingles = 12;
const maxPlaces = 400;
const maxTitles = 6;
const maxFirsts = 3;
const wholly = 0.999;
const nearly = 0.55;
const partly = 0.35;
const min = 0.01;
const nearBest = 0.6;
const newerBefore = 0.3;
const newDays = 30 * 86_400_000;
const demoted: ReadonlySet<string> = new Set(["cron"]);

interface Places {
  readonly places: readonly number[];
  /** True if there are no further matches. */
  readonly isAll: boolean;
}

function placeOf(
  { place, role, at: createdAt, session: pk }: Candidate,
  session: FeedSession,
  feed: SessionFeed,
): Omit<SearchHit, "snippet" | "more"> {
  const strangers = feed.strangersOf(pk);
  const where = { sessionId: asId<SessionId>(session.id), entry: entryId(place), role, at: createdAt };
  return strangers.length === 0 ? where : { ...where, strangers };
}

function rankOf({ score, coverage }: TextScore, { at: createdAt, source }: Candidate, now: number): number {
  const newer = 1 + newerBefore * 0.5 ** (Math.max(0, now - createdAt) / newDays);
  return score * (0.3 + 0.7 * coverage ** 2) * newer * (demoted.has(source) ? 0.5 : 1);
}

function compare(sort: SearchQuery["sort"]): (one: Scored, two: Scored) => number {
  if (sort === "newest") return (one, two) => two.at - one.at;
  if (sort === "oldest") return (one, two) => one.at - two.at;
  return (one, two) => two.rank - one.rank || two.place - one.place;
}

function insteadNote(written: string, intended: readonly string[]): string {
  return `few texts contain "${written}": also searched for ${intended.map((word) => `"${word}"`).join(", ")}`;
}

/** The part of a text with the most matches, on one line, with matches marked. */
function snippetOf(text: string, spots: readonly MatchRange[]): string {
  const sorted = spots.toSorted((one, two) => one.from - two.from || two.to - one.to);
  const start = bestStart(sorted);
  const from = wordEdge(text, Math.max(0, start - beforeChars));
  const to = Math.min(text.length, from + snippetChars);
  let created = "";
  let index = from;
  for (const spot of merged(sorted)) {
    if (spot.from < index) continue;
    if (spot.to > to) break;
    created += `${text.slice(index, spot.from)}>>>${text.slice(spot.from, spot.to)}<<<`;
    index = spot.to;
  }
  created += text.slice(index, to).replace(/[\ud800-\udbff]$/u, "");
  return `${from > 0 ? "…" : ""}${oneLine(created, snippetChars * 2)}${to < text.length ? "…" : ""}`;
}

const snippetChars = 240;
const beforeChars = 80;

/** The start of the window with the most different units. */
function bestStart(spots: readonly MatchRange[]): number {
  let best = { start: spots[0]?.from ?? 0, units: 0 };
  for (const [index, { from }] of spots.slice(0, maxSpots).entries()) {
    const units = new Set<number>();
    for (let next = index; next < spots.length; next++) {
      const spot = spots[next];
      if (!spot || spot.to > from + snippetChars - beforeChars) break;
      units.add(spot.unit);
    }
    if (units.size > best.units) best = { start: from, units: units.size };
  }
  return best.start;
}

const maxSpots = 200;

/** Merges touching matches, such as pairs of letters, or a whole word and its parts. */
function merged(spots: readonly MatchRange[]): readonly { readonly from: number; readonly to: number }[] {
  const created: { from: number; to: number }[] = [];
  for (const { from, to } of spots) {
    const last = created.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else created.push({ from, to });
  }
  return created;
}

/** Moves an index forward a little, to the start of a word. */
function wordEdge(text: string, index: number): number {
  if (index === 0) return 0;
  const blank = text.slice(index, index + 24).search(/\s/u);
  const edge = blank < 0 ? index : index + blank + 1;
  const code = text.charCodeAt(edge);
  return code >= 0xdc00 && code <= 0xdfff ? edge + 1 : edge;
}

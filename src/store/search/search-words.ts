import type { DatabaseSync } from "node:sqlite";

import { type Vocabulary } from "./near-words.ts";

/** The words of a search file, and which texts have them. */
export interface SearchWords extends Vocabulary {
  /** How many texts there are. */
  total(): number;
  /** How far the store was read. */
  place(): number;
  /** The places of texts that fit, the newest first or the oldest. */
  texts(expression: string, limit: number, order: "newest" | "oldest"): readonly number[];
  /** The numbers of sessions whose title fits, the newest first. */
  titles(expression: string, limit: number): readonly number[];
}

/** Counting stops here: such a frequent word has little weight. */
export const maxCounted = 500;
const mostWords = 30_000;
/** Of all words that begin alike together: reading the vocabulary takes time for each. */
const mostTexts = 150_000;

export function createSearchWords(database: DatabaseSync): SearchWords {
  const sql = {
    fact: database.prepare("SELECT value FROM facts WHERE name = ?"),
    count: database.prepare(
      `SELECT count(*) AS texts FROM (SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ${maxCounted})`,
    ),
    beginning: database.prepare(
      `SELECT term AS word, doc AS texts FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ${mostWords}`,
    ),
    among: database.prepare(
      "SELECT term AS word, doc AS texts FROM temp.vocabulary WHERE term IN (SELECT value FROM json_each(?))",
    ),
    newest: database.prepare("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?"),
    oldest: database.prepare("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid LIMIT ?"),
    titles: database.prepare("SELECT rowid FROM titles WHERE titles MATCH ? ORDER BY rowid DESC LIMIT ?"),
  };
  // Thousands of numbers: as objects they would take longer to make than to find.
  for (const statement of [sql.newest, sql.oldest, sql.titles]) statement.setReturnArrays(true);
  const fact = (name: string) => Number(sql.fact.get(name)?.["value"] ?? 0);
  return {
    total: () => fact("texts"),
    place: () => fact("place"),
    count: (word) => Number(sql.count.get(quoted(word))?.["texts"] ?? 0),
    among: (words) => sql.among.all(JSON.stringify(words)).map(wordRow),
    beginningWith(start) {
      const result: { word: string; texts: number }[] = [];
      let sum = 0;
      for (const row of sql.beginning.iterate(start, `${start}\u{10FFFF}`)) {
        const word = wordRow(row);
        result.push(word);
        sum += word.texts;
        if (sum > mostTexts) break;
      }
      return result;
    },
    texts: (expression, limit, order) => sql[order].all(expression, limit).map(rowId),
    titles: (expression, limit) => sql.titles.all(expression, limit).map(rowId),
  };
}

/** The same for one search, which asks for nothing of the vocabulary twice. */
export function cacheLookups(words: SearchWords): SearchWords {
  const counts = new Map<string, number>();
  const beginnings = new Map<string, ReturnType<SearchWords["beginningWith"]>>();
  const once = <T>(cached: Map<string, T>, key: string, ask: (key: string) => T): T => {
    const value = cached.get(key) ?? ask(key);
    cached.set(key, value);
    return value;
  };
  return {
    ...words,
    count: (word) => once(counts, word, words.count),
    beginningWith: (start) => once(beginnings, start, words.beginningWith),
  };
}

/** Escapes a word for FTS5. */
export function quoted(word: string): string {
  return `"${word}"`;
}

function wordRow({ word, texts }: Record<string, unknown>): { readonly word: string; readonly texts: number } {
  return { word: String(word), texts: Number(texts) };
}

/** The only column of a row that is an array. */
function rowId(row: unknown): number {
  return (row as readonly [number])[0];
}

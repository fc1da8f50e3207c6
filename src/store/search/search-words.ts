import type { DatabaseSync } from "node:sqlite";

import { type Vocabulary } from "./near-words.ts";

/** The words of a search file, and the texts that contain them. */
export interface SearchWords extends Vocabulary {
  /** The number of texts. */
  total(): number;
  /** The row id up to which the store was read. */
  place(): number;
  /** Row ids of matching texts, newest or oldest first. */
  texts(expression: string, limit: number, order: "newest" | "oldest"): readonly number[];
  /** Sessions with a matching title, newest first. */
  titles(expression: string, limit: number): readonly number[];
}

/** The maximum count: a word that is this frequent has little weight. */
export const maxCounted = 500;
const maxWords = 30_000;
/** The maximum number of texts for all words with a prefix, because reading the vocabulary takes time for each. */
const maxTexts = 150_000;

export function createSearchWords(database: DatabaseSync): SearchWords {
  const sql = {
    fact: database.prepare("SELECT value FROM facts WHERE name = ?"),
    count: database.prepare(
      `SELECT count(*) AS texts FROM (SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ${maxCounted})`,
    ),
    beginning: database.prepare(
      `SELECT term AS word, doc AS texts FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ${maxWords}`,
    ),
    among: database.prepare(
      "SELECT term AS word, doc AS texts FROM temp.vocabulary WHERE term IN (SELECT value FROM json_each(?))",
    ),
    newest: database.prepare("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?"),
    oldest: database.prepare("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid LIMIT ?"),
    titles: database.prepare("SELECT rowid FROM titles WHERE titles MATCH ? ORDER BY rowid DESC LIMIT ?"),
  };
  // Returns arrays, because creating thousands of row objects would take longer than the search.
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
        if (sum > maxTexts) break;
      }
      return result;
    },
    texts: (expression, limit, order) => sql[order].all(expression, limit).map(rowId),
    titles: (expression, limit) => sql.titles.all(expression, limit).map(rowId),
  };
}

/** Caches vocabulary lookups for one search. */
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

/** The cast is safe: the row has one column, in array form. */
function rowId(row: unknown): number {
  return (row as readonly [number])[0];
}

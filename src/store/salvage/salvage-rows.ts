import type { DatabaseSync } from "node:sqlite";

import { type EntryRow, isIntact } from "../entry-row.ts";
import { type Cell, readLeafPage, type Value } from "./leaf-page.ts";
import type { PageSource } from "./page-source.ts";

/** The rows that the pages of a damaged store still contain. */
export interface Salvaged {
  /** Rows of sessions by row id, with columns in order. They have no checksum. */
  readonly sessions: ReadonlyMap<number, readonly Value[]>;
  /** Lost entries: row id and session id. */
  readonly lost: ReadonlyMap<number, number>;
  readonly entries: number;
  /** The largest row id that any page mentions. */
  readonly lastPrimaryKey: number;
}

/**
 * Reads all pages without following the tree, and copies each entry with a correct checksum to the table `entries` of
 * `into`. Only rows on damaged pages are lost.
 */
export async function salvageRows(pages: PageSource, into: DatabaseSync, signal: AbortSignal): Promise<Salvaged> {
  const add = into.prepare(
    "INSERT OR IGNORE INTO entries (pk, session, parent, at, type, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const sessions = new Map<number, readonly Value[]>();
  const suspects = new Map<number, number>();
  const indexPages: number[] = [];
  let entries = 0;
  let lastPrimaryKey = 0;

  const newest = (page: number): Buffer | undefined => {
    for (const { bytes } of pages.versions(page)) return bytes;
    return undefined;
  };

  function takeCell({ rowid, values }: Cell): boolean {
    const row = asEntry(rowid, values);
    if (row) {
      lastPrimaryKey = Math.max(lastPrimaryKey, row.pk);
      const isOurs = row.isWhole && isIntact(row);
      if (isOurs)
        entries += Number(add.run(row.pk, row.session, row.parent, row.at, row.type, row.body, row.sum).changes);
      else suspects.set(row.pk, row.session);
      return isOurs;
    }
    if (isSession(values)) {
      if (!sessions.has(rowid)) sessions.set(rowid, values);
    } else if (values[0] === "entries" && typeof values[1] === "number" && values.length === 2) {
      lastPrimaryKey = Math.max(lastPrimaryKey, values[1]);
    }
    return true;
  }

  into.exec("BEGIN");
  for (let page = 1; page <= pages.last; page++) {
    if (page % pagesAtOnce === 0) await breathe(signal);
    for (const { bytes, isSound: isAsWritten } of pages.versions(page)) {
      const leaf = readLeafPage(bytes, page, newest);
      if (leaf?.kind === "index") indexPages.push(page);
      // Uses an older version of the page if this one is damaged.
      const areTaken = leaf?.kind === "table" ? leaf.cells.map(takeCell) : [true];
      if (leaf?.isWhole === true && areTaken.every(Boolean)) break;
      if (!leaf && isAsWritten) break;
    }
  }
  const isErased = (session: number) => String(sessions.get(session)?.[1]).startsWith("erased:");
  const erase = into.prepare("DELETE FROM entries WHERE session = ?");
  for (const session of sessions.keys()) if (isErased(session)) entries -= Number(erase.run(session).changes);
  const lost = new Map(
    [...(await missing(indexPages, suspects, pages, into, signal))].filter(([, session]) => !isErased(session)),
  );
  // Lists a session even if none of its entries remain.
  const hasAny = into.prepare("SELECT 1 FROM entries WHERE session = ? LIMIT 1");
  const missed = new Set(lost.values());
  for (const [session, line] of sessions) {
    const head = line[headColumn];
    const isGone = !isErased(session) && !missed.has(session) && !hasAny.get(session);
    if (isGone && typeof head === "number") lost.set(head, session);
  }
  into.exec("COMMIT");
  for (const pk of lost.keys()) lastPrimaryKey = Math.max(lastPrimaryKey, pk);
  return { sessions, lost, entries, lastPrimaryKey };
}

const pagesAtOnce = 512;
const headColumn = 11;

/** Missing entries that the index, damaged rows or later rows refer to. */
async function missing(
  indexPages: readonly number[],
  suspects: ReadonlyMap<number, number>,
  pages: PageSource,
  into: DatabaseSync,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const isThere = into.prepare("SELECT 1 FROM entries WHERE pk = ?");
  const lost = new Map<number, number>();
  const note = (pk: number, session: number) => {
    if (!isThere.get(pk)) lost.set(pk, session);
  };
  const hasOthers = into.prepare("SELECT 1 FROM entries WHERE session = ? LIMIT 1");
  for (const [pk, session] of suspects) if (hasOthers.get(session)) note(pk, session);
  for (const [offset, page] of indexPages.entries()) {
    if (offset % pagesAtOnce === 0) await breathe(signal);
    for (const { bytes } of pages.versions(page)) {
      const cells = readLeafPage(bytes, page, () => undefined)?.cells ?? [];
      // Only the index of entries has a number and a duplicated row id.
      for (const { values } of cells) {
        const [session, pk, rowid, ...rest] = values;
        if (typeof session !== "number" || typeof pk !== "number" || pk !== rowid || rest.length > 0) break;
        note(pk, session);
      }
      break;
    }
  }
  const parents =
    "SELECT e.parent AS pk, e.session FROM entries e LEFT JOIN entries p ON p.pk = e.parent WHERE e.parent IS NOT NULL AND p.pk IS NULL";
  for (const { pk, session } of into.prepare(parents).all()) note(Number(pk), Number(session));
  return lost;
}

/** Parses the columns of an entry. `isWhole` means that all columns are present. */
function asEntry(pk: number, values: readonly Value[]): (EntryRow & { readonly isWhole: boolean }) | undefined {
  const [alias, session, parent, createdAt, type, body, sum, ...rest] = values;
  if (alias !== null || typeof session !== "number" || typeof createdAt !== "number" || typeof type !== "string")
    return undefined;
  if ((parent !== null && typeof parent !== "number") || rest.length > 0 || pk < 1 || session < 1) return undefined;
  if (!/^[a-z_]{4,20}$/u.test(type)) return undefined;
  const isWhole = typeof body === "string" && typeof sum === "number";
  const text = isWhole ? { body, sum } : { body: "", sum: 0 };
  return { pk, session, parent, at: createdAt, type, ...text, isWhole };
}

/** The columns `pk`, `id`, `principal`, `source`, …: 17 in version 1. */
function isSession([alias, id, principal, source, ...rest]: readonly Value[]): boolean {
  const isNamed = typeof id === "string" && typeof principal === "string" && typeof source === "string";
  return alias === null && isNamed && rest.length >= 13 && rest.length <= 16;
}

async function breathe(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise((resolve) => setImmediate(resolve));
}

import { readFile } from "node:fs/promises";

import { appendLinesTo } from "../base/files/append-lines.ts";
import { codeOf } from "../base/files/file-fault.ts";
import { isObject } from "../base/json.ts";
import type { MemoryRecord, MemoryTarget, PlacedNote } from "../contracts/knowledge/memory.ts";

/** An append-only file with every change, one per line. It also keeps the text of removed entries. */
export interface MemoryHistory {
  read(): Promise<readonly MemoryRecord[]>;
  /** The number of lines that are not valid records. */
  damagedLines(): Promise<number>;
  /** Appends a change. Throws if the disk is full. */
  append(record: MemoryRecord): void;
}

export function createMemoryHistory(path: string): MemoryHistory {
  async function lines(): Promise<readonly string[]> {
    try {
      return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return [];
      throw thrown;
    }
  }
  return {
    read: async () => (await lines()).flatMap(recordIn),
    damagedLines: async () => (await lines()).filter((line) => recordIn(line).length === 0).length,
    append: (record) => appendLinesTo(path, `${JSON.stringify(record)}\n`, { flush: true }),
  };
}

/** Skips lines that are not valid records, such as truncated ones. */
function recordIn(line: string): readonly MemoryRecord[] {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value) || typeof value["id"] !== "string") return [];
    if (!areNotes(value["removed"]) || !areNotes(value["added"])) return [];
    // Safe cast: only this program writes the file.
    return [value as unknown as MemoryRecord];
  } catch {
    return [];
  }
}

function areNotes(value: unknown): boolean {
  return Array.isArray(value) && value.every((note) => isObject(note) && typeof note["text"] === "string");
}

/** Returns the removed and the added entries, with their positions. */
export function difference(
  before: readonly string[],
  after: readonly string[],
): { readonly removed: readonly PlacedNote[]; readonly added: readonly PlacedNote[] } {
  const placed = (notes: readonly string[], others: readonly string[]) => {
    const there = new Set(others);
    return notes.flatMap((text, index) => (there.has(text) ? [] : [{ at: index, text }]));
  };
  return { removed: placed(before, after), added: placed(after, before) };
}

/** Returns the entries of a file after all its recorded changes. */
export function replayed(records: readonly MemoryRecord[], target: MemoryTarget): readonly string[] {
  const own = records.filter((record) => record.target === target);
  return own.reduce<readonly string[]>(
    (entries, { removed, added }) => revertChange(entries, { removed: added, added: removed }),
    [],
  );
}

/**
 * Returns the entries with a change reverted: without the added entries, and with the removed entries in their old
 * position.
 */
export function revertChange(
  entries: readonly string[],
  { removed, added }: Pick<MemoryRecord, "removed" | "added">,
): readonly string[] {
  const absent = new Set(added.map(({ text }) => text));
  const notes = entries.filter((note) => !absent.has(note));
  for (const { at: index, text } of removed)
    if (!notes.includes(text)) notes.splice(Math.min(index, notes.length), 0, text);
  return notes;
}

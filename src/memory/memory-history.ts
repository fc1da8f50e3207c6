import { appendFile, readFile } from "node:fs/promises";

import { codeOf } from "../base/files/file-fault.ts";
import { isObject } from "../base/json.ts";
import type { MemoryRecord, PlacedNote } from "../contracts/knowledge/memory.ts";

/** Every change ever made, one line each, append-only. It is also the archive of evicted entries. */
export interface MemoryHistory {
  read(): Promise<readonly MemoryRecord[]>;
  append(record: MemoryRecord): Promise<void>;
}

export function createMemoryHistory(path: string): MemoryHistory {
  return {
    async read() {
      try {
        return (await readFile(path, "utf8")).split("\n").flatMap(recordIn);
      } catch (thrown) {
        if (codeOf(thrown) === "ENOENT") return [];
        throw thrown;
      }
    },
    // A line truncated by a crash must not corrupt the next one.
    append: (record) => appendFile(path, `\n${JSON.stringify(record)}\n`, { mode: 0o600, flush: true }),
  };
}

/** Skips lines that are not records, such as truncated ones. */
function recordIn(line: string): readonly MemoryRecord[] {
  if (line === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value) || typeof value["id"] !== "string") return [];
    if (!areNotes(value["removed"]) || !areNotes(value["added"])) return [];
    // Only this program writes the file.
    return [value as unknown as MemoryRecord];
  } catch {
    return [];
  }
}

function areNotes(value: unknown): boolean {
  return Array.isArray(value) && value.every((note) => isObject(note) && typeof note["text"] === "string");
}

/** Removed and added entries. */
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

/** The entries with a change reverted: without what it added, and with what it removed in its old position. */
export function takenBack(entries: readonly string[], { removed, added }: MemoryRecord): readonly string[] {
  const absent = new Set(added.map(({ text }) => text));
  const notes = entries.filter((note) => !absent.has(note));
  for (const { at, text } of removed) if (!notes.includes(text)) notes.splice(Math.min(at, notes.length), 0, text);
  return notes;
}

import { appendFile, readFile } from "node:fs/promises";

import { codeOf } from "../base/files/file-fault.ts";
import { isObject } from "../base/json.ts";
import type { MemoryRecord, PlacedNote } from "../contracts/knowledge/memory.ts";

/** Every change that was ever made, one line each, never rewritten. It is the archive of what made room too. */
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
    // A line that a crash cut off must not take the next one with it.
    append: (record) => appendFile(path, `\n${JSON.stringify(record)}\n`, { mode: 0o600, flush: true }),
  };
}

/** What is not a record, such as half a line, is passed over. */
function recordIn(line: string): readonly MemoryRecord[] {
  if (line === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value) || typeof value["id"] !== "string") return [];
    if (!areNotes(value["removed"]) || !areNotes(value["added"])) return [];
    // Written by us, and nobody else's business.
    return [value as unknown as MemoryRecord];
  } catch {
    return [];
  }
}

function areNotes(value: unknown): boolean {
  return Array.isArray(value) && value.every((note) => isObject(note) && typeof note["text"] === "string");
}

/** What differs, by whole entries. */
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

/** The entries without a change: what it added is gone, what it removed is back where it was. */
export function takenBack(entries: readonly string[], { removed, added }: MemoryRecord): readonly string[] {
  const gone = new Set(added.map(({ text }) => text));
  const notes = entries.filter((note) => !gone.has(note));
  for (const { at, text } of removed) if (!notes.includes(text)) notes.splice(Math.min(at, notes.length), 0, text);
  return notes;
}

import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import { oneLine } from "../base/text/text.ts";
import type { MemoryChange } from "../contracts/knowledge/memory.ts";
import { cleanNote, memoryChars } from "./memory-text.ts";

export interface ChangedNotes {
  readonly entries: readonly string[];
  /** The oldest entries, which were removed to make room for new ones. */
  readonly evicted: readonly string[];
}

export interface NoteLimits {
  readonly chars: number;
  /** The behaviour if a new entry does not fit: remove the oldest entries, or reject the new one. */
  readonly onFull: "evict" | "refuse";
}

/** Applies all changes or none. Only the final text must fit the limit, or be shorter than before. */
export function changeNotes(
  entries: readonly string[],
  changes: readonly MemoryChange[],
  limits: NoteLimits,
): Result<ChangedNotes, string> {
  let notes = [...entries];
  const fresh = new Set<string>();
  for (const change of changes) {
    const note = change.action === "remove" ? "" : cleanNote(change.content);
    if (note === undefined) {
      return err("content is empty, or has a line with only §, which separates entries");
    }
    if (change.action === "add") {
      if (!notes.includes(note)) notes.push(note);
      fresh.add(note);
      continue;
    }
    const match = findNote(notes, change.oldText);
    if (!match.ok) return match;
    const rest = notes.filter((_, index) => index !== match.value);
    notes = change.action === "remove" || rest.includes(note) ? rest : notes.with(match.value, note);
    if (note !== "") fresh.add(note);
  }
  // A file edited by hand may exceed the limit; a change that shortens it is still allowed.
  const isShorter = memoryChars(notes) < memoryChars(entries);
  return isShorter ? ok({ entries: notes, evicted: [] }) : fitted(notes, fresh, limits);
}

function fitted(
  notes: readonly string[],
  fresh: ReadonlySet<string>,
  limits: NoteLimits,
): Result<ChangedNotes, string> {
  const over = memoryChars(notes) - limits.chars;
  if (over <= 0) return ok({ entries: notes, evicted: [] });
  const full = `this would be ${over} characters over the limit of ${limits.chars}`;
  if (limits.onFull === "refuse") return err(`${full}; remove or shorten the least important entries in the same call`);
  const kept = [...notes];
  const evicted: string[] = [];
  while (memoryChars(kept) > limits.chars) {
    const oldest = kept.findIndex((note) => !fresh.has(note));
    if (oldest < 0) return err(`${full}, even without all older entries; shorten it`);
    evicted.push(...kept.splice(oldest, 1));
  }
  return ok({ entries: kept, evicted });
}

/** Returns the entry that equals the text, or the only entry that contains it. */
function findNote(notes: readonly string[], requested: string): Result<number, string> {
  const text = requested.trim();
  if (text === "") return err("old_text is empty: name the entry to change");
  const exact = notes.indexOf(text);
  if (exact >= 0) return ok(exact);
  const fold = (note: string) => note.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ");
  for (const fits of [(note: string) => note.includes(text), (note: string) => fold(note).includes(fold(text))]) {
    const matches = notes.flatMap((note, index) => (fits(note) ? [index] : []));
    if (matches.length === 1 && matches[0] !== undefined) return ok(matches[0]);
    if (matches.length > 1) {
      const shown = matches.map((noteIndex) => `"${oneLine(notes[noteIndex] ?? "", 80)}"`).join(", ");
      return err(`"${oneLine(text, 60)}" fits ${matches.length} entries: ${shown}; quote more of the intended entry`);
    }
  }
  const [close] = nearest(text, notes, 1);
  const hint = close === undefined ? "" : `; did you mean "${oneLine(close, 80)}"?`;
  return err(`no entry contains "${oneLine(text, 60)}"${hint}`);
}

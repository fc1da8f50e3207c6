import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import { oneLine } from "../base/text/text.ts";
import type { MemoryChange } from "../contracts/knowledge/memory.ts";
import { cleanNote, memoryChars } from "./memory-text.ts";

export interface ChangedNotes {
  readonly entries: readonly string[];
  /** The oldest that made room. */
  readonly evicted: readonly string[];
}

export interface NoteLimits {
  readonly chars: number;
  /** What is done when it does not fit: make room, or refuse. */
  readonly onFull: "evict" | "refuse";
}

/** The entries after all changes, or why none of them is made. Only the end result has to fit, or be shorter than before. */
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
      return err("content is empty, or has a line with nothing but §, which is what stands between entries");
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
  // What somebody wrote by hand may be more than fits: whoever makes it shorter is not kept from it.
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
  const full = `this would be ${over} characters more than the ${limits.chars} that fit`;
  if (limits.onFull === "refuse") return err(`${full}; remove or shorten what matters least, in the same call`);
  const kept = [...notes];
  const evicted: string[] = [];
  while (memoryChars(kept) > limits.chars) {
    const oldest = kept.findIndex((note) => !fresh.has(note));
    if (oldest < 0) return err(`${full}, even without everything older; write it shorter`);
    evicted.push(...kept.splice(oldest, 1));
  }
  return ok({ entries: kept, evicted });
}

/** The whole entry, or the only one with that text in it. */
function findNote(notes: readonly string[], wanted: string): Result<number, string> {
  const text = wanted.trim();
  if (text === "") return err("old_text is empty: say which entry is meant");
  const exact = notes.indexOf(text);
  if (exact >= 0) return ok(exact);
  const fold = (note: string) => note.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ");
  for (const fits of [(note: string) => note.includes(text), (note: string) => fold(note).includes(fold(text))]) {
    const matches = notes.flatMap((note, index) => (fits(note) ? [index] : []));
    if (matches.length === 1 && matches[0] !== undefined) return ok(matches[0]);
    if (matches.length > 1) {
      const shown = matches.map((at) => `"${oneLine(notes[at] ?? "", 80)}"`).join(", ");
      return err(
        `"${oneLine(text, 60)}" fits ${matches.length} entries: ${shown}; write more of the one that is meant`,
      );
    }
  }
  const [close] = nearest(text, notes, 1);
  const hint = close === undefined ? "" : `; did you mean "${oneLine(close, 80)}"?`;
  return err(`no entry has "${oneLine(text, 60)}" in it${hint}`);
}

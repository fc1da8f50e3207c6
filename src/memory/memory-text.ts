/** Separator between two entries of a file, the same as in the Python original. */
const between = "\n§\n";

export interface MemoryText {
  readonly entries: readonly string[];
  /** True if the file contains text that our format would not reproduce, because somebody edited it by hand. */
  readonly isForeign: boolean;
}

/** Parses a file and removes duplicate entries. */
export function parseMemory(text: string): MemoryText {
  const plain = text.replace(/^\uFEFF/u, "").replace(/\r\n?/gu, "\n");
  const matches = plain.split(between).map((entry) => entry.trim());
  const entries = [...new Set(matches.filter((entry) => entry !== ""))];
  return { entries, isForeign: formatMemory(entries).trim() !== plain.trim() };
}

export function formatMemory(entries: readonly string[]): string {
  return entries.length === 0 ? "" : `${entries.join(between)}\n`;
}

/** The length including separators, in characters as people count them. */
export function memoryChars(entries: readonly string[]): number {
  return Array.from(entries.join(between)).length;
}

/** Normalises an entry. Undefined if it is empty or contains a separator. */
export function cleanNote(content: string): string | undefined {
  const note = content.replace(/\r\n?/gu, "\n").toWellFormed().trim();
  return note === "" || /^§$/mu.test(note) ? undefined : note;
}

/** What stands between two entries of a file, as the Python original has it. */
const between = "\n§\n";

export interface MemoryText {
  readonly entries: readonly string[];
  /** Written back, the entries would give another text: somebody wrote in it by hand what this form cannot hold. */
  readonly isForeign: boolean;
}

/** Reads a file. An entry that is there twice counts once. */
export function parseMemory(text: string): MemoryText {
  const plain = text.replace(/^\uFEFF/u, "").replace(/\r\n?/gu, "\n");
  const matches = plain.split(between).map((entry) => entry.trim());
  const entries = [...new Set(matches.filter((entry) => entry !== ""))];
  return { entries, isForeign: formatMemory(entries).trim() !== plain.trim() };
}

export function formatMemory(entries: readonly string[]): string {
  return entries.length === 0 ? "" : `${entries.join(between)}\n`;
}

/** With what stands between them. Characters as people count them. */
export function memoryChars(entries: readonly string[]): number {
  return Array.from(entries.join(between)).length;
}

/** What is stored of an entry. Undefined: nothing is left, or it cannot be told from two entries. */
export function cleanNote(content: string): string | undefined {
  const note = content.replace(/\r\n?/gu, "\n").toWellFormed().trim();
  return note === "" || /^§$/mu.test(note) ? undefined : note;
}

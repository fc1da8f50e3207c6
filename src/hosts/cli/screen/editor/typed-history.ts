/** Prompts that were sent before, even in other sessions. */
export interface TypedHistory {
  /** Newest first. */
  readonly lines: readonly string[];
  add(text: string): void;
  /** The older or newer prompt while the user browses. Undefined: there is none. The draft is kept and comes last. */
  step(direction: "older" | "newer", draft: string): string | undefined;
  readonly isBrowsing: boolean;
  /** Ends browsing: the changed draft is now the newest entry. */
  endBrowsing(): void;
  /** The newest prompt that starts with this text, as a suggestion. */
  continuing(text: string): string | undefined;
  /** The next older or newer prompt that contains the words, starting after `from`. */
  find(words: string, from: number, direction: "older" | "newer"): { readonly index: number } | undefined;
}

const maxLines = 1_000;

export function createTypedHistory(initial: readonly string[], save: (text: string) => void): TypedHistory {
  let lines = [...new Set(initial)].slice(0, maxLines);
  let index = -1;
  let kept = "";
  return {
    get lines() {
      return lines;
    },
    add(text) {
      index = -1;
      // A leading space keeps a prompt out of the history, as in shells.
      if (text.trim() === "" || text.startsWith(" ")) return;
      if (lines[0] !== text) save(text);
      lines = [text, ...lines.filter((each) => each !== text)].slice(0, maxLines);
    },
    step(direction, draft) {
      if (index < 0) kept = draft;
      const next = index + (direction === "older" ? 1 : -1);
      if (next < -1 || next >= lines.length) return undefined;
      index = next;
      return index < 0 ? kept : lines[index];
    },
    get isBrowsing() {
      return index >= 0;
    },
    endBrowsing() {
      index = -1;
    },
    continuing(text) {
      if (text.trim().length < 2 || text.includes("\n")) return undefined;
      return lines.find((line) => line.length > text.length && line.startsWith(text));
    },
    find(words, from, direction) {
      const isExact = words !== words.toLowerCase();
      const step = direction === "older" ? 1 : -1;
      for (let entry = from; entry >= 0 && entry < lines.length; entry += step) {
        const line = lines[entry] ?? "";
        if ((isExact ? line : line.toLowerCase()).includes(words)) return { index: entry };
      }
      return undefined;
    },
  };
}

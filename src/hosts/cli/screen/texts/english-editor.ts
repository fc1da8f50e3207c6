import { plural } from "../../../../base/text/text.ts";

/** Texts of the editor. */
export const englishEditor = {
  pasted: (lines: number, chars: number) => `[pasted: ${plural(lines, "line")}, ${plural(chars, "char")}]`,
  image: (number: number, about: string) => `[image ${number}${about === "" ? "" : `: ${about}`}]`,
  stashed: (count: number) =>
    `Draft put aside${count > 1 ? ` (${count} drafts)` : ""}. In an empty line, the same key restores it.`,
  nothingStashed: "No draft was put aside.",
  discarded: "Draft moved to the history.",
  discardHint: "Press Esc again to move the draft to the history.",
  modes: { insert: "-- INSERT --", normal: "-- NORMAL --", visual: "-- VISUAL --" },
  search: (words: string, isMissing: boolean, isLast: boolean) =>
    `search: ${words}${isMissing ? "  (no match)" : isLast ? "  (no other match)" : ""}`,
};

import type { NumberingRef } from "./word-styles.ts";
import { readPart, type ZipArchive } from "./zip-archive.ts";

/** Returns the markers of list items, counted as in Word. */
export interface WordNumbering {
  /** Returns a marker such as `- `, `3. ` or `1.2 `, or "" for an item without one. Advances the counter. */
  mark(reference: NumberingRef): string;
}

interface Level {
  format: string;
  text: string;
  start: number;
}

export function readWordNumbering(zip: ZipArchive, part: string): WordNumbering {
  const abstracts = new Map<string, Level[]>();
  const lists = new Map<string, string>();
  let abstract: Level[] | undefined;
  let level: Level | undefined;
  let list = "";
  readPart(zip, part, {
    open(name, tag) {
      const value = tag.attribute("val") ?? "";
      if (name === "abstractNum") abstracts.set(tag.attribute("abstractNumId") ?? "", (abstract = []));
      else if (name === "num") list = tag.attribute("numId") ?? "";
      else if (name === "abstractNumId") lists.set(list, value);
      else if (name === "lvl" && abstract) {
        level = { format: "decimal", text: "", start: 1 };
        const offset = Number(tag.attribute("ilvl"));
        if (offset >= 0 && offset < maxLevels) abstract[offset] = level;
      } else if (!level) return;
      else if (name === "numFmt") level.format = value;
      else if (name === "lvlText") level.text = value;
      else if (name === "start") level.start = Number(value) || 0;
    },
    close(name) {
      if (name === "lvl") level = undefined;
      if (name === "abstractNum") abstract = undefined;
    },
  });
  const counted = new Map<string, number[]>();

  return {
    mark({ list, level: at }) {
      const own = lists.get(list);
      if (list === "0" || at < 0 || at >= maxLevels) return "";
      const levels = (own !== undefined && abstracts.get(own)) || [];
      const counts = counted.get(own ?? list) ?? [];
      counted.set(own ?? list, counts);
      counts.length = Math.min(counts.length, at + 1);
      for (let above = 0; above < at; above++) counts[above] ??= levels[above]?.start ?? 1;
      const before = counts[at];
      counts[at] = before === undefined ? (levels[at]?.start ?? 1) : before + 1;
      const { format = "bullet", text = "" } = levels[at] ?? {};
      if (format === "bullet") return "- ";
      if (format === "none") return "";
      const shown = text.replace(/%([1-9])/gu, (_, number: string) => {
        const index = Number(number) - 1;
        return numeral(counts[index] ?? 1, levels[index]?.format ?? "decimal");
      });
      return shown === "" ? "" : `${shown} `;
    },
  };
}

function numeral(count: number, format: string): string {
  if (format === "lowerLetter") return letters(count);
  if (format === "upperLetter") return letters(count).toUpperCase();
  if (format === "lowerRoman") return roman(count);
  if (format === "upperRoman") return roman(count).toUpperCase();
  return format === "decimalZero" ? String(count).padStart(2, "0") : String(count);
}

/** Returns a … z, aa, bb: the sequence that Word uses after z. */
function letters(count: number): string {
  if (count < 1) return String(count);
  return String.fromCodePoint(97 + ((count - 1) % 26)).repeat(Math.min(10, Math.ceil(count / 26)));
}

function roman(count: number): string {
  if (count < 1 || count > 3999) return String(count);
  let left = count;
  let text = "";
  for (const [value, sign] of romanSigns) {
    text += sign.repeat(Math.floor(left / value));
    left %= value;
  }
  return text;
}

const maxLevels = 9;
const romanSigns: readonly (readonly [number, string])[] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

import { valueOr } from "../../../base/result.ts";
import type { ExtractedText } from "./extracted-text.ts";

export function richText(bytes: Uint8Array, out: ExtractedText): void {
  // Reads every byte as a character, because RTF escapes everything that is not ASCII.
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  let decoder = decoderOf(1252);
  const groups: Group[] = [];
  let group: Group = { isHidden: false, skip: 1 };
  let line = "";
  let toSkip = 0;
  let pending: number[] = [];

  function flush(): void {
    if (pending.length === 0) return;
    line += decoder.decode(Uint8Array.from(pending));
    pending = [];
  }

  function endLine(): void {
    flush();
    if (line.trim() !== "") out.line(line.replace(/ \| $/u, "").trimEnd());
    else out.gap();
    line = "";
  }

  function word(name: string, value: number | undefined): void {
    if (name === "*" || hiddenGroups.has(name)) group.isHidden = true;
    else if (name === "uc") group.skip = Math.min(10, Math.max(0, value ?? 1));
    else if (name === "ansicpg" && value !== undefined) decoder = decoderOf(value);
    if (group.isHidden) return;
    const sign = signs.get(name);
    if (name === "u" && value !== undefined) {
      flush();
      line += String.fromCharCode(value < 0 ? value + 65_536 : value);
      toSkip = group.skip;
    } else if (name === "par" || name === "line" || name === "row" || name === "sect" || name === "page") endLine();
    else if (sign !== undefined) {
      flush();
      line += sign;
    }
  }

  for (let index = 0; index < source.length;) {
    const sign = source[index] ?? "";
    if (sign === "{") {
      if (groups.length >= maxGroups) break;
      groups.push(group);
      group = { isHidden: group.isHidden, skip: group.skip };
      index++;
    } else if (sign === "}") {
      group = groups.pop() ?? group;
      toSkip = 0;
      index++;
    } else if (sign === "\\") {
      controlWord.lastIndex = index;
      const [whole, name, digits] = controlWord.exec(source) ?? [];
      if (whole !== undefined && name !== undefined) {
        index += whole.length;
        const value = digits === undefined ? undefined : Number(digits);
        if (name === "bin") index += Math.max(0, value ?? 0);
        else word(name, value);
      } else if (source[index + 1] === "'") {
        const byte = Number.parseInt(source.slice(index + 2, index + 4), 16);
        index += 4;
        if (toSkip > 0) toSkip--;
        else if (!group.isHidden && byte >= 0) pending.push(byte);
      } else {
        const next = source[index + 1] ?? "";
        index += 2;
        if (next === "*") word("*", undefined);
        else if (!group.isHidden && "\\{}".includes(next)) {
          flush();
          line += next;
        } else if (next === "~" && !group.isHidden) line += " ";
        else if ((next === "\n" || next === "\r") && !group.isHidden) endLine();
      }
    } else {
      index++;
      if (sign === "\r" || sign === "\n") continue;
      if (toSkip > 0) toSkip--;
      else if (!group.isHidden) {
        flush();
        line += sign;
      }
    }
  }
  endLine();
}

interface Group {
  isHidden: boolean;
  /** The number of characters after a Unicode character that old programs show instead of it. */
  skip: number;
}

function decoderOf(codePage: number): InstanceType<typeof TextDecoder> {
  const name = codePages.get(codePage) ?? `windows-${codePage}`;
  return valueOr(() => new TextDecoder(name), new TextDecoder("windows-1252"));
}

const controlWord = /\\([a-z]+)(-?\d{1,9})? ?/iuy;
const codePages: ReadonlyMap<number, string> = new Map([
  [932, "shift_jis"],
  [936, "gbk"],
  [949, "euc-kr"],
  [950, "big5"],
  [65_001, "utf-8"],
  [10_000, "macintosh"],
]);
const hiddenGroups: ReadonlySet<string> = new Set([
  "fonttbl",
  "colortbl",
  "stylesheet",
  "info",
  "pict",
  "object",
  "header",
  "footer",
  "fldinst",
  "listtable",
  "listoverridetable",
  "themedata",
  "datastore",
]);
const signs: ReadonlyMap<string, string> = new Map([
  ["tab", "\t"],
  ["cell", " | "],
  ["emdash", "—"],
  ["endash", "–"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["bullet", "•"],
]);
const maxGroups = 10_000;

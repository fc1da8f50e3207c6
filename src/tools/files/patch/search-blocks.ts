import { MalformedPatch, patchedPath } from "./malformed-patch.ts";
import type { Patch, PatchSection } from "./patch.ts";
import type { PatchLine } from "./unwrap.ts";

/** Returns whether the lines contain a SEARCH/REPLACE block. */
export function hasSearchBlocks(lines: readonly PatchLine[]): boolean {
  return lines.some(startsBlock) && lines.some(endsBlock);
}

/**
 * Parses SEARCH/REPLACE blocks, as several agents write them: markers of any length, a file name in one of the lines
 * above a block or in the section header of a patch, text around the blocks. A block without a name is for the file of the
 * block above it. A block that searches for nothing creates a file, or adds lines above the line that it states.
 */
export function readSearchBlocks(lines: readonly PatchLine[]): Patch {
  const sections: PatchSection[] = [];
  let path: string | undefined;
  let above = 0;
  for (const [index, line] of lines.entries()) {
    if (index < above) continue;
    path = headerPath(line.text) ?? path;
    if (!startsBlock(line)) continue;
    const end = index + 1 + lines.slice(index + 1).findIndex((each) => endsBlock(each) || startsBlock(each));
    const last = lines[end];
    if (end <= index || last === undefined || startsBlock(last))
      throw new MalformedPatch(line.number, `the block has no end; write ">>>>>>> REPLACE" below its new lines`);
    const stray = lines.slice(above, index).findLast(({ text }) => text.trim() !== "");
    if (stray?.text.trim() === "=======")
      throw new MalformedPatch(
        stray.number,
        `the line "=======" is above the block; write it between old and new lines`,
      );
    path = nameAbove(lines.slice(above, index)) ?? path;
    if (path === undefined)
      throw new MalformedPatch(line.number, "no file is named above this block; write its path on the line above");
    sections.push(blockSection(lines.slice(index + 1, end), patchedPath(path, line.number), line.number));
    above = end + 1;
  }
  return { sections };
}

function blockSection(lines: readonly PatchLine[], path: string, line: number): PatchSection {
  const exact = lines.filter(({ text }) => text.trim() === "=======");
  const dividers = exact.length === 1 ? exact : lines.filter(({ text }) => /^\s*={5,}\s*$/u.test(text));
  const [divider, ...others] = dividers;
  if (divider === undefined) throw new MalformedPatch(line, `the block has no line "=======" before its new lines`);
  if (others.length > 0)
    throw new MalformedPatch(others[0]?.number ?? line, `the block has several lines "======="; send a unified diff`);
  const middle = lines.indexOf(divider);
  const { start, length } = lineHeader(lines.slice(0, middle));
  const old = textOf(lines.slice(length, middle));
  const misplaced = lines.slice(middle + 1).find(({ text }) => lineMarker.test(text.trim()));
  if (misplaced !== undefined)
    throw new MalformedPatch(
      misplaced.number,
      `${misplaced.text.trim()} belongs above the lines to search for; if it is text of the file, write a backslash before it`,
    );
  const replacement = textOf(lines.slice(middle + 1));
  if (old.trim() === "" && start !== undefined) {
    const added = lines.slice(middle + 1).map(({ text, number }) => ({ op: "+", text, line: number }) as const);
    const hunk = {
      line,
      hints: [],
      lines: added,
      atEnd: false,
      statedStart: Math.max(0, start - 1),
      isUpdate: true,
    } as const;
    return { kind: "update", path, line, hunks: [hunk] };
  }
  if (old.trim() === "") return { kind: "add", path, line, text: replacement };
  return { kind: "replace", path, line, old, new: replacement, ...(start !== undefined && { statedLine: start }) };
}

/** `:start_line:7`, or with the number in brackets. */
const lineMarker = /^:(?:start|end)_line:\s*(?:\d+|\[\d+\])\s*$/u;

/** Reads `:start_line:7`, `:end_line:9` and `-------` above the lines to search for. */
function lineHeader(lines: readonly PatchLine[]): { readonly start: number | undefined; readonly length: number } {
  const length = lines.findIndex(({ text }) => !lineMarker.test(text));
  if (length <= 0) return { start: undefined, length: /^-{7}\s*$/u.test(lines[0]?.text ?? "") ? 1 : 0 };
  const start = /^:start_line:\s*\[?(\d+)/mu.exec(lines.map(({ text }) => text).join("\n"))?.[1];
  const hasRule = /^-{7}\s*$/u.test(lines[length]?.text ?? "");
  return { start: start === undefined ? undefined : Number(start), length: length + (hasRule ? 1 : 0) };
}

/** Returns the text of the lines. A backslash before a marker only marks it as text. */
function textOf(lines: readonly PatchLine[]): string {
  return lines.map(({ text }) => `${text.replace(/^\\(?=<{7}|={7}|>{7}|-{7}|:(?:start|end)_line:)/u, "")}\n`).join("");
}

function startsBlock({ text }: PatchLine): boolean {
  return /^\s*(?:<{3,}|-{3,}) ?(?:SEARCH|ORIGINAL)\b>?\s*$/u.test(text);
}

function endsBlock({ text }: PatchLine): boolean {
  return /^\s*(?:>{3,}|\+{3,}) ?(?:REPLACE|UPDATED)\b>?\s*$/u.test(text);
}

/** Returns the name in one of the last lines above a block: nearest first, not farther than a few lines. */
function nameAbove(lines: readonly PatchLine[]): string | undefined {
  const near = lines
    .filter(({ text }) => text.trim() !== "")
    .slice(-maxLinesAbove)
    .toReversed();
  for (const [distance, { text }] of near.entries()) {
    const name = nameInLine(text, distance === near.findIndex((line) => !/^\s*(?:```|~~~)/u.test(line.text)));
    if (name !== undefined) return name;
  }
  return undefined;
}

const maxLinesAbove = 4;

function headerPath(text: string): string | undefined {
  return /^\*\*\*\s*(?:Update|Add)\s+File\s*:?\s+(\S.*)$/iu.exec(text.trim())?.[1]?.replace(/^[`"'](.*)[`"']$/u, "$1");
}

/** Returns the path in a line. The line directly above the block may be any single word. */
function nameInLine(line: string, isNearest: boolean): string | undefined {
  const header = headerPath(line);
  if (header !== undefined) return header;
  const [, info] = /^\s*(?:`{3,}|~{3,})[\w+-]*[: ]?(\S*)\s*$/u.exec(line) ?? [];
  if (info !== undefined) return /[./]/u.test(info) ? info : undefined;
  const [, quoted, ...more] = line.split("`");
  if (quoted !== undefined && more.length === 1 && /^[^\s`]*[./][^\s`]*$/u.test(quoted)) return quoted;
  const name = line
    .trim()
    .replace(/^(?:<(?:path|file|filename|file_path)>)(.*?)<\/.*$/u, "$1")
    .replace(/^(?:#+|\/\/|[-*>]|\d+\.)\s+/u, "")
    .replace(/^\**(?:file(?:name)?|path)\**\s*:\**\s*/iu, "")
    .replace(/^[*_"'`]+|[*_"'`:]+$/gu, "")
    .replace(/:$/u, "");
  if (!/^[^\s<>|"'`:]+$/u.test(name) || /^\W+$/u.test(name)) return undefined;
  return isNearest || /\w[./]\w|^\.{0,2}\//u.test(name) ? name : undefined;
}

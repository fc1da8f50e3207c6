import { err, ok, type Result } from "../../../base/result.ts";
import { readFiles } from "./file-reader.ts";
import { decodeText, shownLine } from "./file-text.ts";
import { lineCount, type MatchedFile, shownBlock, withContext } from "./matched-file.ts";
import { javaScriptPattern, wantsCrlf } from "./pattern.ts";
import { createScanner, type Scanner } from "./scan-text.ts";
import type { SearchPlace } from "./search-command.ts";
import type { Found, Hit, Query, SearchEngine, SearchFault, Window } from "./search.ts";
import { listTree, type TreeFile } from "./tree.ts";

/** Searches without ripgrep: `find` and `tail` where the environment's commands run, and patterns here. */
export function ownEngine(place: SearchPlace): SearchEngine {
  return {
    name: "own",
    async search(root, query, scope, window) {
      const compiled = compile(query);
      if (!compiled.ok) return compiled;
      const tree = await listTree(root, scope, place);
      if (!tree.ok) return tree;
      const tally = createTally(tree.value.files, query, window, compiled.value);
      const raws = tree.value.files.map(({ raw }) => raw);
      const read = await readFiles(raws, root.folder, place, (raw, bytes) => {
        tally.add(raw, bytes);
        return place.clock.elapsed() < place.until && !place.signal.aborted;
      });
      if (!read.ok) return read;
      tally.finish();
      const isLate = place.clock.elapsed() >= place.until;
      const stopped = isLate ? "time" : (read.value.stopped ?? tree.value.stopped);
      return ok({
        ...tally.found(),
        unreadable: tree.value.unreadable + read.value.unreadable,
        ...(stopped && { stopped }),
      });
    },
    async list(root, scope) {
      const tree = await listTree(root, scope, place);
      if (!tree.ok) return tree;
      const { files, unreadable, stopped } = tree.value;
      return ok({ paths: files.map(({ path }) => path), unreadable, ...(stopped && { stopped }) });
    },
  };
}

interface Compiled {
  readonly scanner: Scanner;
  readonly byLine: boolean;
}

function compile(query: Query): Result<Compiled, SearchFault> {
  const { pattern, ignoreCase, multiline } = query;
  const translated = javaScriptPattern(pattern, { ignoreCase, multiline, crlf: wantsCrlf(pattern) });
  if (!translated.ok) return err({ kind: "pattern", message: translated.error.what });
  const byLine = !multiline || !translated.value.mayCrossLines;
  try {
    return ok({ scanner: createScanner(translated.value, byLine), byLine });
  } catch {
    return err({ kind: "pattern", message: "it is too large" });
  }
}

interface Waiting {
  readonly path: string;
  readonly text: string;
}

/** Counts the hits of files that come in order, and keeps those of the window. Small files are scanned together. */
function createTally(
  files: readonly TreeFile[],
  query: Query,
  window: Window | undefined,
  { scanner, byLine }: Compiled,
) {
  const paths = new Map(files.map(({ raw, path }) => [raw, path]));
  const counted: { path: string; hits: number }[] = [];
  const hits: Hit[] = [];
  const slow: string[] = [];
  let waiting: Waiting[] = [];
  let waitingChars = 0;
  let searched = 0;
  let before = 0;

  function take({ path, text }: Waiting, spans: readonly number[] | undefined): void {
    if (spans === undefined) slow.push(path);
    else if (spans.length > 0) {
      const blocks = byLine ? lineBlocks(text, spans) : joinedBlocks(text, spans);
      if (!byLine && showsNul(text, blocks, query.context)) return;
      counted.push({ path, hits: blocks.length });
      if (window && before < window.offset + window.limit && before + blocks.length > window.offset) {
        const skip = Math.max(0, window.offset - before);
        const own = hitsOf(path, text, blocks, query.context, skip, window.offset + window.limit - before);
        hits.push(...own);
      }
      before += blocks.length;
    }
  }

  function scan(): void {
    const found = scanner.scan(waiting.map(({ text }) => text));
    waiting.forEach((one, index) => take(one, found[index]));
    waiting = [];
    waitingChars = 0;
  }

  return {
    add(raw: string, bytes: Uint8Array | undefined): void {
      searched++;
      const path = paths.get(raw) ?? raw;
      if (bytes === undefined) slow.push(path);
      const text = bytes && decodeText(bytes, byLine ? Infinity : 65_536);
      if (text === undefined || text === "") return;
      waiting.push({ path, text });
      waitingChars += text.length;
      if (waitingChars > 256 * 1024 || waiting.length >= 100) scan();
    },
    finish: scan,
    found: (): Omit<Found, "unreadable"> => ({ files: counted, hits, searched, ...(slow.length > 0 && { slow }) }),
  };
}

/** Whole lines of a text, `from` up to `to`, and where the first match in them begins. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

function lineBlocks(text: string, spans: readonly number[]): Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < spans.length; index += 2) {
    const at = spans[index] ?? 0;
    blocks.push({ from: startOfLine(text, at), to: endOfLine(text, at), at });
  }
  return blocks;
}

/** Matches whose lines touch are one block. */
function joinedBlocks(text: string, spans: readonly number[]): Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < spans.length; index += 2) {
    const at = spans[index] ?? 0;
    const end = spans[index + 1] ?? at;
    const from = startOfLine(text, at);
    const to = endOfLine(text, Math.max(at, end - 1));
    const last = blocks.at(-1);
    if (last && last.to >= from) blocks[blocks.length - 1] = { ...last, to: Math.max(to, last.to) };
    else blocks.push({ from, to, at });
  }
  return blocks;
}

/** A late NUL makes a file binary when it would be shown. */
function showsNul(text: string, blocks: readonly Block[], context: number): boolean {
  if (!text.includes("\0")) return false;
  return blocks.some((block) => {
    let { from, to } = block;
    for (let line = 0; line < context; line++) {
      from = startOfLine(text, from - 1);
      to = endOfLine(text, to);
    }
    return text.slice(from, to).includes("\0");
  });
}

function hitsOf(
  path: string,
  text: string,
  blocks: readonly Block[],
  context: number,
  skip: number,
  upTo: number,
): Hit[] {
  const file: MatchedFile = { hits: [], context: new Map(), isBinary: false };
  let line = 1;
  let counted = 0;
  const matched = new Set<number>();
  const places = blocks.map(({ from, to, at }) => {
    line +=
      lineCount(text.slice(counted, from)) - (from > counted && !text.slice(counted, from).endsWith("\n") ? 1 : 0);
    counted = from;
    const lines = lineCount(text.slice(from, to));
    for (let each = line; each < line + lines; each++) matched.add(each);
    return { line, lines, from, to, at };
  });
  for (const place of places.slice(skip, upTo)) {
    const shown = shownBlock(text.slice(place.from, place.to), place.at - place.from);
    file.hits.push({ line: place.line, lines: place.lines, content: shown });
    let end = place.from;
    for (let back = place.line - 1; back >= place.line - context && end > 0; back--) {
      const from = startOfLine(text, end - 1);
      if (!matched.has(back)) file.context.set(back, shownLine(text.slice(from, end), 0));
      end = from;
    }
    let from = place.to;
    const after = place.line + place.lines;
    for (let next = after; next < after + context && from < text.length; next++) {
      const to = endOfLine(text, from);
      if (!matched.has(next)) file.context.set(next, shownLine(text.slice(from, to), 0));
      from = to;
    }
  }
  return withContext(path, file, context);
}

function startOfLine(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** After its line end. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

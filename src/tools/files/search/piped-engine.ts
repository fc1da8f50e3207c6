import { err, ok, type Result } from "../../../base/result.ts";
import { readFiles } from "./file-reader.ts";
import { lineCount, type MatchedFile, withContext } from "./matched-file.ts";
import { queryArguments } from "./ripgrep-arguments.ts";
import { type JsonOutput, readJsonOutput } from "./ripgrep-output.ts";
import { searchFault, maxJsonBytes, stopReason } from "./ripgrep.ts";
import { withTrailer, runHere, runSearchCommand, type SearchPlace, shellWords } from "./search-command.ts";
import type { Query, Root, SearchEngine, SearchFault } from "./search.ts";
import { listTree, type TreeFile } from "./tree.ts";

/**
 * Searches a backend without `rg`, using only `find`, `xargs` and `tail` there: reads the files and pipes them through
 * the local ripgrep, so that patterns have the same meaning. Writes nothing on either machine.
 */
export function pipedEngine(place: SearchPlace, program: string): SearchEngine {
  async function ripgrep(stdin: Uint8Array, query: Query): Promise<Result<Run, SearchFault>> {
    const args = ["--json", "--no-config", `--context=${query.context}`, ...queryArguments(query), "-"];
    const output = readJsonOutput();
    let bytes = 0;
    const ran = await runSearchCommand(
      withTrailer(shellWords([program, ...args])),
      {
        cwd: "/",
        stdin,
        minMs: 5_000,
        onOutput(chunk) {
          output.add(chunk);
          bytes += chunk.length;
          return bytes < maxJsonBytes;
        },
      },
      { ...place, run: runHere },
    );
    if (!ran.ok) return ran;
    const fault = searchFault(ran.value, output.trailer, output.searched !== undefined);
    return fault ? err(fault) : ok({ output, stopped: stopReason(ran.value) });
  }

  /** Searches each text separately again: a match of several lines may have started in the previous text. */
  async function searchAlone(texts: readonly Text[], query: Query): Promise<Result<FileHits[], SearchFault>> {
    const files: FileHits[] = [];
    for (const { path, bytes } of texts) {
      const ran = await ripgrep(bytes, query);
      if (!ran.ok) return ran;
      const [file] = ran.value.output.files.values();
      if (file && file.hits.length > 0) files.push({ path, file });
    }
    return ok(files);
  }

  return {
    name: "ripgrep, piped",
    async search(root, query, scope, window) {
      // A bad pattern is rejected before any file is read.
      const [checked, tree] = await Promise.all([ripgrep(new Uint8Array(), query), listTree(root, scope, place)]);
      if (!checked.ok) return checked;
      if (!tree.ok) return tree;
      const read = await readTexts(tree.value.files, root, place);
      if (!read.ok) return read;
      const { texts, unreadable, tooBig } = read.value;
      const ran = await ripgrep(Buffer.concat(texts.flatMap(({ bytes }) => [separator, bytes])), query);
      if (!ran.ok) return ran;
      const touched = splitByText(ran.value.output, texts);
      const alone = query.multiline
        ? await searchAlone(
            touched.map(({ text }) => text),
            query,
          )
        : ok(touched);
      if (!alone.ok) return alone;
      const hits = alone.value.flatMap(({ path, file }) => withContext(path, file, query.context));
      const stopped = read.value.stopped ?? tree.value.stopped ?? ran.value.stopped;
      return ok({
        files: alone.value.map(({ path, file }) => ({ path, hits: file.hits.length })),
        hits: window ? hits.slice(window.offset, window.offset + window.limit) : [],
        searched: tree.value.files.length,
        unreadable: tree.value.unreadable + unreadable,
        ...(stopped && { stopped }),
        ...(tooBig.length > 0 && { tooBig }),
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

interface Run {
  readonly output: JsonOutput;
  readonly stopped: "time" | "size" | undefined;
}

interface FileHits {
  readonly path: string;
  readonly file: MatchedFile;
}

interface Text {
  readonly path: string;
  /** The text ends with a line end. */
  readonly bytes: Uint8Array;
}

async function readTexts(files: readonly TreeFile[], root: Root, place: SearchPlace) {
  const paths = new Map(files.map(({ raw, path }) => [raw, path]));
  const texts: Text[] = [];
  const tooBig: string[] = [];
  let total = 0;
  const read = await readFiles([...paths.keys()], root.folder, place, (raw, content) => {
    const path = paths.get(raw) ?? raw;
    const bytes = content && textBytes(content);
    if (content === undefined) tooBig.push(path);
    if (bytes !== undefined && bytes.length > 0) texts.push({ path, bytes });
    total += bytes?.length ?? 0;
    return total < maxTextBytes && place.clock.elapsed() < place.until && !place.signal.aborted;
  });
  if (!read.ok) return read;
  const stopped = place.clock.elapsed() >= place.until ? ("time" as const) : read.value.stopped;
  return ok({ texts, tooBig, unreadable: read.value.unreadable, stopped });
}

/** Returns the content as UTF-8 without a byte order mark, as ripgrep reads a file. Undefined for a binary file. */
function textBytes(bytes: Uint8Array): Uint8Array | undefined {
  const mark = Buffer.from(bytes.subarray(0, 3)).toString("hex");
  const encoding = mark.startsWith("fffe") ? "utf-16le" : mark.startsWith("feff") ? "utf-16be" : undefined;
  const plain = encoding
    ? Buffer.from(new TextDecoder(encoding).decode(bytes))
    : mark === "efbbbf"
      ? bytes.subarray(3)
      : bytes;
  if (plain.includes(0)) return undefined;
  return plain.length === 0 || plain.at(-1) === lineEnd ? plain : Buffer.concat([plain, Buffer.of(lineEnd)]);
}

/** Returns the matches in a stream of texts, by text, with line numbers relative to each text. */
function splitByText(output: JsonOutput, texts: readonly Text[]): (FileHits & { readonly text: Text })[] {
  const [all] = output.files.values();
  if (all === undefined) return [];
  const lines = new Map<number, MatchedFile["hits"][number]>();
  for (const hit of all.hits) for (let line = hit.line; line < hit.line + hit.lines; line++) lines.set(line, hit);
  let first = 1;
  return texts.flatMap((text) => {
    const before = first;
    const count = lineCount(Buffer.from(text.bytes).toString("latin1"));
    first += count + 1;
    const file: MatchedFile = { hits: [], context: new Map(), isBinary: false };
    for (let line = 1; line <= count; line++) {
      const hit = lines.get(before + line);
      const context = all.context.get(before + line);
      if (hit) file.hits.push({ ...hit, line });
      if (context !== undefined) file.context.set(line, context);
    }
    return file.hits.length > 0 ? [{ path: text.path, file, text }] : [];
  });
}

/**
 * A line that no pattern can match, because it is not UTF-8. It separates the texts; without it, `^` would not match at
 * the start of a text.
 */
const separator = Buffer.of(0xff, 0x0a);
const lineEnd = 0x0a;
const maxTextBytes = 256 * 1024 * 1024;

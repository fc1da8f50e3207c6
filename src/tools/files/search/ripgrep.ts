import { err, ok, type Result } from "../../../base/result.ts";
import { byText } from "../../../base/text/order.ts";
import { quoteForShell } from "../../../base/text/shell-quote.ts";
import { decodePath, withContext } from "./matched-file.ts";
import { patternFault } from "./pattern.ts";
import { queryArguments, scopeArguments } from "./ripgrep-arguments.ts";
import { type JsonOutput, readCounts, readJsonOutput } from "./ripgrep-output.ts";
import {
  readPaths,
  type Trailer,
  withTrailer,
  type CommandEnd,
  runSearchCommand,
  type SearchPlace,
  shellWords,
} from "./search-command.ts";
import {
  type SearchResult,
  type Hit,
  type Query,
  type Root,
  type SearchScope,
  type SearchEngine,
  type SearchFault,
  type Window,
} from "./search.ts";

/** Searches with ripgrep in the environment. `program` is its path. Default: `rg` in the environment. */
export function ripgrepEngine(place: SearchPlace, program?: string): SearchEngine {
  // `command` bypasses functions and aliases of that name.
  const rg = program === undefined ? "command rg" : quoteForShell(program);
  const perFile = `command xargs -0 ${program === undefined ? "rg" : quoteForShell(program)}`;
  const isThere = program === undefined ? "command -v rg >/dev/null 2>&1" : `[ -x ${quoteForShell(program)} ]`;
  const script = (command: string) => `${isThere} || exit ${notThere}; ${withTrailer(command)}`;

  async function json(
    command: string,
    root: Root,
    more: { readonly stdin?: Uint8Array; readonly maxBytes: number; readonly head?: boolean },
  ): Promise<Result<{ readonly output: JsonOutput; readonly end: CommandEnd }, SearchFault>> {
    const output = readJsonOutput();
    let bytes = 0;
    const ran = await runSearchCommand(
      `${script(command)}${more.head ? ` | command head -c ${more.maxBytes}` : ""}`,
      {
        cwd: root.folder,
        minMs: more.stdin === undefined ? 100 : 5_000,
        ...(more.stdin && { stdin: more.stdin }),
        onOutput(chunk) {
          bytes += chunk.length;
          output.add(chunk);
          return bytes < more.maxBytes || more.head === true;
        },
      },
      place,
    );
    return ran.ok ? ok({ output, end: ran.value }) : ran;
  }

  async function collected(command: string, root: Root) {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const ran = await runSearchCommand(
      script(command),
      {
        cwd: root.folder,
        onOutput(chunk) {
          chunks.push(chunk);
          bytes += chunk.length;
          return bytes < maxListBytes;
        },
      },
      place,
    );
    return ran.ok ? ok({ bytes: Buffer.concat(chunks), end: ran.value }) : ran;
  }

  async function hitsOf(files: readonly Counted[], root: Root, query: Query, window: Window) {
    const { part, skipped } = filesOfWindow(files, window);
    if (part.length === 0) return ok({ hits: [], stopped: undefined });
    const maxCount = Math.max(...part.map((file) => Math.min(file.hits, skipped + window.limit)));
    const args = [
      "--json",
      "--no-config",
      "--no-mmap",
      "--no-ignore",
      `--max-count=${maxCount + query.context + 1}`,
      `--context=${query.context}`,
      ...queryArguments(query),
      "--",
    ];
    const stdin = Buffer.from(part.map(({ raw }) => `./${raw}\0`).join(""), "latin1");
    const ran = await json(`${perFile} ${shellWords(args)}`, root, { stdin, maxBytes: maxJsonBytes });
    if (!ran.ok) return ran;
    const fault = searchFault(ran.value.end, ran.value.output.trailer, true);
    if (fault) return err(fault);
    const hits = hitsIn(ran.value.output, part, query);
    return ok({ hits: hits.slice(skipped, skipped + window.limit), stopped: stopReason(ran.value.end) });
  }

  return {
    name: "ripgrep",
    async search(root, query, scope, window) {
      const which = scopeArguments(scope, root);
      const asJson = ["--json", ...which, `--context=${query.context}`, ...queryArguments(query), "./"];
      const jsonCommand = `${rg} ${shellWords(asJson)}`;
      if (window || query.multiline) {
        // Most results are small, so one run is enough. Larger output is cut off, which ends ripgrep early.
        const first = await json(jsonCommand, root, { maxBytes: smallBytes, head: true });
        if (!first.ok) return first;
        const isWhole = first.value.output.trailer !== undefined || stopReason(first.value.end) === "time";
        if (isWhole || isMissing(first.value.end)) return foundInJson(first.value, root, query, scope, window);
        if (query.multiline) {
          const all = await json(jsonCommand, root, { maxBytes: maxJsonBytes });
          return all.ok ? foundInJson(all.value, root, query, scope, window) : all;
        }
      }
      const asCounts = ["--count", "--null", "--with-filename", ...which, ...queryArguments(query), "./"];
      const ran = await collected(`${rg} ${shellWords(asCounts)}`, root);
      if (!ran.ok) return ran;
      const { counts, trailer } = readCounts(ran.value.bytes);
      const fault = searchFault(ran.value.end, trailer, counts.size > 0);
      if (fault) return err(fault);
      const files = countedFiles(counts, root, scope);
      const hits = window ? await hitsOf(files, root, query, window) : ok({ hits: [], stopped: undefined });
      if (!hits.ok) return hits;
      const stopped = stopReason(ran.value.end) ?? hits.value.stopped;
      return ok({
        files: files.map(({ path, hits: count }) => ({ path, hits: count })),
        hits: hits.value.hits,
        // `--stats` would report the number, but makes ripgrep search for every match of a line.
        searched: undefined,
        unreadable: unreadableIn(trailer),
        ...(stopped && { stopped }),
      });
    },
    async list(root, scope) {
      const ran = await collected(
        `${rg} ${shellWords(["--files", "--null", ...scopeArguments(scope, root), "./"])}`,
        root,
      );
      if (!ran.ok) return ran;
      const { paths, trailer } = readPaths(ran.value.bytes);
      const fault = searchFault(ran.value.end, trailer, paths.length > 0);
      if (fault) return err(fault);
      const stopped = stopReason(ran.value.end);
      return ok({
        paths: paths
          .map((raw) => decodePath(plainRaw(raw)))
          .filter((path) => root.file !== undefined || scope.filter.takes(path))
          .toSorted(byText),
        unreadable: unreadableIn(trailer),
        ...(stopped && { stopped }),
      });
    },
  };
}

interface Counted {
  readonly raw: string;
  readonly path: string;
  readonly hits: number;
}

/**
 * Returns the files that contain the matches of the page, and the number of matches of the first file before the page.
 */
function filesOfWindow(files: readonly Counted[], { offset, limit }: Window) {
  let before = 0;
  let skipped = 0;
  const part: Counted[] = [];
  for (const file of files) {
    const isIn = before + file.hits > offset && before < offset + limit;
    if (isIn && part.length === 0) skipped = Math.max(0, offset - before);
    if (isIn) part.push(file);
    before += file.hits;
  }
  return { part, skipped };
}

function hitsIn(output: JsonOutput, files: readonly Counted[], query: Query): Hit[] {
  return files.flatMap(({ raw, path, hits }) => {
    const file = output.files.get(`./${raw}`) ?? output.files.get(raw);
    return file && !file.isBinary ? withContext(path, file, query.context).slice(0, hits) : [];
  });
}

function foundInJson(
  { output, end }: { readonly output: JsonOutput; readonly end: CommandEnd },
  root: Root,
  query: Query,
  scope: SearchScope,
  window: Window | undefined,
): Result<SearchResult, SearchFault> {
  const fault = searchFault(end, output.trailer, output.searched !== undefined);
  if (fault) return err(fault);
  const counts = new Map<string, number>();
  for (const [raw, { hits, isBinary }] of output.files) if (!isBinary && hits.length > 0) counts.set(raw, hits.length);
  const files = countedFiles(counts, root, scope);
  const stopped = stopReason(end);
  return ok({
    files: files.map(({ path, hits }) => ({ path, hits })),
    hits: window ? hitsIn(output, files, query).slice(window.offset, window.offset + window.limit) : [],
    searched: output.searched,
    unreadable: unreadableIn(output.trailer),
    ...(stopped && { stopped }),
  });
}

function countedFiles(counts: ReadonlyMap<string, number>, root: Root, scope: SearchScope): Counted[] {
  return [...counts]
    .map(([raw, hits]) => ({ raw: plainRaw(raw), path: decodePath(plainRaw(raw)), hits }))
    .filter(({ path }) => root.file !== undefined || scope.filter.takes(path))
    .toSorted((a, b) => byText(a.path, b.path));
}

function plainRaw(raw: string): string {
  return raw.startsWith("./") ? raw.slice(2) : raw;
}

export function stopReason(end: CommandEnd): "time" | "size" | undefined {
  return end.how === "exit" ? undefined : end.how === "time" ? "time" : "size";
}

function isMissing(end: CommandEnd): boolean {
  return end.how === "exit" && end.exitCode === notThere;
}

/** Files that cannot be read do not make the search fail. */
export function searchFault(
  end: CommandEnd,
  trailer: Trailer | undefined,
  wasSearched: boolean,
): SearchFault | undefined {
  if (isMissing(end) || trailer?.exitCode === 126 || trailer?.exitCode === 127)
    return { kind: "no_engine", message: "ripgrep is not there" };
  if (end.how !== "exit" || wasSearched || (trailer !== undefined && trailer.exitCode < 2)) return undefined;
  const messages = trailer?.messages.replace(unreadable, "").trim();
  if (messages === "") return undefined;
  const reason = patternFault(messages ?? "");
  if (reason !== undefined) return { kind: "pattern", message: reason.replace(/^(?:rg: )?(?:error: )?/u, "") };
  const last = messages?.split("\n").at(-1) ?? "ripgrep ended without a message";
  return { kind: "failed", message: last.replace(/^(?:rg: )?(?:error: )?/u, "") };
}

function unreadableIn(trailer: Trailer | undefined): number {
  return trailer?.messages.match(unreadable)?.length ?? 0;
}

const unreadable = /^.*\(os error \d+\)$/gmu;

const notThere = 97;
const smallBytes = 256 * 1024;
export const maxJsonBytes = 64 * 1024 * 1024;
const maxListBytes = 256 * 1024 * 1024;

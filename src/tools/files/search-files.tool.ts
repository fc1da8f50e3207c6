import { basename, dirname } from "node:path";

import { z } from "zod";

import type { JsonObject } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json, type ToolResult, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import type { ToolContext } from "../../contracts/tool/tool.ts";
import { type FileCall, fileFailure, realPathOf } from "./file-on-disk.ts";
import { specialFile } from "./file-to-read.ts";
import { lookAlikes } from "./look-alikes.ts";
import {
  bothFilters,
  everyFile,
  type FileFilter,
  globFilter,
  nameFilter,
  withoutSecrets,
} from "./search/file-filter.ts";
import { explainPatternFault, literalPattern, namesLineEnd } from "./search/pattern.ts";
import { noHitsHint, pageOf, shownHits, sizeOfHit } from "./search/search-answer.ts";
import { modifiedTimes, runnerIn, type SearchPlace } from "./search/search-command.ts";
import { useEngine } from "./search/search-engines.ts";
import type { SearchResult, Hit, Query, Root, SearchScope, SearchFault } from "./search/search.ts";
import { effectPath } from "./tool-path.ts";

const timeLimitMs = 60_000;
const maxHits = 2_000;

const input = z.object({
  pattern: z.string().describe("content: regular expression; files: glob or part of a name"),
  target: z.enum(["content", "files", "grep", "find"]).default("content"),
  path: z.string().default(".").describe("Folders or files, separated by spaces"),
  file_glob: z.string().optional().describe("*.ts, src/**/*.md, !*.min.js"),
  output_mode: z.enum(["content", "files_only", "count"]).default("content"),
  context: z.int().min(0).max(50).default(0),
  limit: z.int().min(1).default(50),
  offset: z.int().min(0).default(0).describe("Continue with next_offset"),
  ignore_case: z.boolean().default(false),
  multiline: z.boolean().default(false),
  hidden: z.boolean().default(false),
  no_ignore: z.boolean().default(false).describe("Also what .gitignore excludes"),
});

type Args = z.output<typeof input>;
type Context = ToolContext<"environment" | "fileReads">;

export default defineTool({
  name: "search_files",
  toolset: "file",
  description:
    "Search file contents, or find files by name (target: files, newest first). Use this instead of grep, rg, find or ls. " +
    "Skips hidden, ignored, binary and secret files (.env).",
  emoji: "🔎",
  input,
  needs: ["environment", "fileReads"],
  traits: { readOnly: true, parallel: true, callers: "both", scriptAlias: "search", maxResultChars: Infinity },
  effects: ({ path }, place) => {
    const { whole, parts } = namedPaths(path);
    return [whole, ...parts].map((each) => ({ kind: "read", path: effectPath(each, place) }));
  },
  async run(args, ctx) {
    const { environment, clock, signal } = ctx;
    const place: SearchPlace = { run: runnerIn(environment), clock, signal, until: clock.elapsed() + timeLimitMs };
    const isFiles = args.target === "files" || args.target === "find";
    if (!isFiles && args.pattern === "") return fail("The pattern is empty.", "invalid_args");
    if (args.pattern.includes("\0") || args.file_glob?.includes("\0"))
      return fail("A pattern cannot contain NUL: files with NUL are binary and skipped.", "invalid_args");
    const filter = filterOf(args, isFiles);
    if (!filter.ok) return fail(filter.error, "invalid_args");
    const roots = await searchRoots(args.path, ctx);
    if (!roots.ok) return roots;
    const scope = { hidden: args.hidden || filter.value.namesHidden, noIgnore: args.no_ignore, filter: filter.value };
    return isFiles
      ? findFiles(args, roots.value, scope, place, ctx)
      : searchContent(args, roots.value, scope, place, ctx);
  },
});

function filterOf({ pattern, file_glob, ignore_case }: Args, isFiles: boolean) {
  const globs: FileFilter[] = [];
  if (file_glob !== undefined && file_glob.trim() !== "") {
    const glob = globFilter(file_glob.trim(), { ignoreCase: false });
    if (!glob.ok) return glob;
    globs.push(glob.value);
  }
  if (isFiles) {
    const name = nameFilter(pattern, { ignoreCase: ignore_case });
    if (!name.ok) return name;
    globs.push(name.value);
  }
  return { ok: true as const, value: globs.reduce(bothFilters, everyFile) };
}

async function searchContent(
  args: Args,
  { roots, missing }: SearchRoots,
  scope: SearchScope,
  place: SearchPlace,
  ctx: Context,
): Promise<ToolResult> {
  const query: Query = {
    pattern: args.pattern,
    ignoreCase: args.ignore_case,
    multiline: args.multiline || namesLineEnd(args.pattern),
    context: args.context,
  };
  const files: { path: string; hits: number }[] = [];
  const hits: Hit[] = [];
  const parts: SearchResult[] = [];
  const { home } = ctx.fileReads;
  const homes = ctx.environment.kind === "local" && home ? [home.path, home.root] : [];
  const filterFor = (root: Root) => bothFilters(scope.filter, withoutSecrets(root, homes));
  let engine = "";
  let total = 0;
  for (const root of roots) {
    const limit = Math.min(args.limit, maxHits) - hits.length;
    const window =
      args.output_mode === "content" && limit > 0 ? { offset: Math.max(0, args.offset - total), limit } : undefined;
    const searched = await useEngine(ctx.environment, place, (one) =>
      one.search(root, query, { ...scope, filter: filterFor(root) }, window),
    );
    if (!searched.result.ok) return failed(searched.result.error, query);
    const match = searched.result.value;
    engine = searched.engine;
    parts.push(match);
    files.push(...match.files.map((file) => ({ ...file, path: shownPath(root, file.path) })));
    hits.push(...match.hits.map((hit) => ({ ...hit, path: shownPath(root, hit.path) })));
    total += match.files.reduce((sum, file) => sum + file.hits, 0);
  }
  const facts = { engine, backend: ctx.environment.kind };
  const notes = notesOf(parts, missing);
  const { offset, limit, output_mode: mode } = args;
  if (total === 0) {
    const hint = await noHitsHint(args, roots, scope, parts, ctx);
    const literal = await literalHint(query, roots, (root) => ({ ...scope, filter: filterFor(root) }), place, ctx);
    return answered({ total_count: 0, ...emptyIn(mode), hint: literal + hint, ...notes, ...facts }, ctx);
  }
  if (mode === "content") {
    const page = pageOf(hits, offset, total, sizeOfHit);
    return answered(
      { total_count: total, ...shownHits(page.shown, ctx.origin), ...paging(page, notes, offset, total), ...facts },
      ctx,
    );
  }
  const page = pageOf(files.slice(offset, offset + limit), offset, files.length, ({ path }) => path.length + 10);
  const shown: JsonObject =
    mode === "count"
      ? { total_count: total, counts: Object.fromEntries(page.shown.map(({ path, hits: count }) => [path, count])) }
      : { total_count: files.length, files: page.shown.map(({ path }) => path) };
  return answered({ ...shown, ...paging(page, notes, offset, files.length), ...facts }, ctx);
}

/** Returns a hint if a pattern matches nothing but occurs in a file as plain text. */
async function literalHint(
  query: Query,
  roots: readonly Root[],
  scopeOf: (root: Root) => SearchScope,
  place: SearchPlace,
  ctx: Context,
): Promise<string> {
  const pattern = literalPattern(query.pattern);
  if (pattern === query.pattern) return "";
  for (const root of roots) {
    const { result } = await useEngine(ctx.environment, place, (one) =>
      one.search(root, { ...query, pattern, multiline: pattern.includes("\n") }, scopeOf(root), undefined),
    );
    const [file] = result.ok ? result.value.files : [];
    if (file)
      return `The text itself is in ${shownPath(root, file.path)}: to search for it, write ${JSON.stringify(pattern)}. `;
  }
  return "";
}

async function findFiles(
  args: Args,
  { roots, missing }: SearchRoots,
  scope: SearchScope,
  place: SearchPlace,
  ctx: Context,
): Promise<ToolResult> {
  const files: { readonly path: string; readonly at: number }[] = [];
  const parts: Pick<SearchResult, "unreadable" | "stopped">[] = [];
  let engine = "";
  for (const root of roots) {
    const listed = await useEngine(ctx.environment, place, (one) => one.list(root, scope));
    if (!listed.result.ok) return failed(listed.result.error);
    const { paths } = listed.result.value;
    const times = await modifiedTimes(paths, root.folder, place);
    if (!times.ok) return failed(times.error);
    engine = listed.engine;
    parts.push(listed.result.value);
    for (const path of paths) files.push({ path: shownPath(root, path), at: times.value.get(path) ?? 0 });
  }
  const newest = files.toSorted((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
  const { offset, limit } = args;
  const page = pageOf(newest.slice(offset, offset + limit), offset, newest.length, (path) => path.length + 4);
  const hint = newest.length === 0 ? { hint: await noHitsHint(args, roots, scope, [], ctx) } : {};
  const facts = { engine, backend: ctx.environment.kind };
  const data = {
    total_count: newest.length,
    files: page.shown,
    ...paging(page, notesOf(parts, missing), offset, newest.length),
  };
  return answered({ ...data, ...hint, ...facts }, ctx);
}

function shownPath(root: Root, path: string): string {
  return root.file === undefined ? `${root.asked}${path}` : root.asked;
}

function emptyIn(mode: Args["output_mode"]): JsonObject {
  return mode === "content" ? { matches: [] } : mode === "count" ? { counts: {} } : { files: [] };
}

interface Notes {
  readonly limit_reason?: string;
  readonly warning?: string;
}

function notesOf(
  parts: readonly Pick<SearchResult, "unreadable" | "stopped" | "tooBig">[],
  missing: readonly string[],
): Notes {
  const stopped = parts.find((part) => part.stopped !== undefined)?.stopped;
  const unreadable = parts.reduce((sum, part) => sum + part.unreadable, 0);
  const tooBig = parts.flatMap((part) => part.tooBig ?? []);
  const warnings = [
    missing.length > 0 && `Not searched, because it does not exist: ${missing.join(", ")}.`,
    stopped === "time" &&
      `The search stopped after ${timeLimitMs / 1000} s; there may be more matches. Narrow path or file_glob.`,
    stopped === "size" &&
      "The search stopped because of too much output; there may be more matches. Narrow the pattern, path or file_glob.",
    unreadable > 0 &&
      `${plural(unreadable, "file or folder")} could not be read.`.replace("file or folders", "files or folders"),
    tooBig.length > 0 &&
      `Skipped because they are too big: ${tooBig.slice(0, 5).join(", ")}${tooBig.length > 5 ? ` and ${tooBig.length - 5} more` : ""}.`,
  ].filter((warning) => warning !== false);
  return { ...(stopped && { limit_reason: stopped }), ...(warnings.length > 0 && { warning: warnings.join(" ") }) };
}

function paging(
  page: { readonly next?: number; readonly reason?: string; readonly shown: readonly unknown[] },
  notes: Notes,
  offset: number,
  total: number,
): JsonObject {
  return {
    truncated: page.next !== undefined || notes.limit_reason !== undefined,
    ...(page.next !== undefined && { next_offset: page.next }),
    ...(page.reason !== undefined && { limit_reason: page.reason }),
    ...notes,
    ...(page.shown.length === 0 && total > 0 && { hint: `Only ${total} results; offset ${offset} is past the end.` }),
  };
}

/** Marks an answer that equals the last one as unchanged. The answer is always returned. */
function answered(data: JsonObject, { fileReads }: Context): ToolResult {
  const isSame = fileReads.repeats(JSON.stringify(["search_files", data]));
  return json(isSame ? { ...data, unchanged: true } : data);
}

function failed({ kind, message }: SearchFault, query?: Query): ToolResult {
  if (kind === "pattern" && query) return fail(explainPatternFault(query.pattern, message), "invalid_args");
  if (kind === "aborted") return fail("The search was interrupted.", "aborted");
  return fail(`The search failed: ${message.replace(/\.$/u, "")}.`);
}

/** Returns the paths that a path argument may mean: one path, or several separated by spaces or commas. */
function namedPaths(path: string): { readonly whole: string; readonly parts: readonly string[] } {
  const whole = path.trim() === "" ? "." : path;
  const parts = whole.split(/[\s,]+/u).filter((part) => part !== "");
  return { whole, parts: parts.length > 1 ? parts : [] };
}

interface SearchRoots {
  readonly roots: readonly Root[];
  /** The requested paths that do not exist. */
  readonly missing: readonly string[];
}

/** A string counts as several paths only if no such path exists and one of the parts does. */
async function searchRoots(path: string, call: FileCall): Promise<Result<SearchRoots, ToolFailure>> {
  const { whole, parts } = namedPaths(path);
  const one = await rootAt(whole, call);
  if (!one.ok) return one;
  if (one.value.root) return ok({ roots: [one.value.root], missing: [] });
  const roots: Root[] = [];
  const missing: string[] = [];
  for (const part of parts) {
    const match = await rootAt(part, call);
    if (!match.ok) return match;
    if (match.value.root) roots.push(match.value.root);
    else missing.push(part);
  }
  if (roots.length > 0) return ok({ roots, missing });
  const absent = one.value.missing ?? whole;
  const { same, similar } = await lookAlikes(absent, call.environment.files, call.signal);
  const others = [...(same === undefined ? [] : [same]), ...similar];
  const hint = others.length > 0 ? `There is: ${others.join(", ")}` : "Check the path, or search its folder.";
  return fail(`${absent} does not exist. ${hint}`, "failed", { data: { similar_files: others } });
}

async function rootAt(
  path: string,
  call: FileCall,
): Promise<Result<{ readonly root?: Root; readonly missing?: string }, ToolFailure>> {
  const real = await realPathOf(path, call);
  if (!real.ok) return real;
  const special = specialFile(real.value);
  if (special !== undefined) return fail(special, "blocked");
  const stat = await call.environment.files.stat(real.value, call.signal);
  if (!stat.ok) return stat.error.kind === "missing" ? ok({ missing: real.value }) : fileFailure(stat.error);
  const request = path.replace(/^(?:\.\/+)+|(?<=[^/])\/+$/gu, "");
  if (stat.value.kind === "folder") {
    const folder = request === "." || request === "" ? "" : request.endsWith("/") ? request : `${request}/`;
    return ok({ root: { folder: real.value, asked: folder } });
  }
  if (stat.value.kind === "file")
    return ok({ root: { folder: dirname(real.value), file: basename(real.value), asked: request } });
  return fail(`${real.value} is a device, pipe or socket, not a file. It is not searched.`);
}

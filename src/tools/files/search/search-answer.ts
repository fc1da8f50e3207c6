import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { plural } from "../../../base/text/text.ts";
import type { Origin } from "../../../contracts/safety/principal.ts";
import type { ToolContext } from "../../../contracts/tool/tool.ts";
import type { Hit, Line, SearchResult, Root, SearchScope } from "./search.ts";

export interface Page<T> {
  readonly shown: readonly T[];
  /** The offset to continue from. Undefined at the end. */
  readonly next?: number;
  readonly reason?: "limit" | "output";
}

/** Returns as many items as fit into one answer. Always includes the first, so that paging makes progress. */
export function pageOf<T>(items: readonly T[], offset: number, total: number, size: (item: T) => number): Page<T> {
  let chars = 0;
  let fits = 0;
  for (const item of items) {
    chars += size(item);
    if (fits > 0 && chars > maxChars) break;
    fits++;
  }
  const shown = items.slice(0, fits);
  const next = offset + fits;
  if (fits < items.length) return { shown, next, reason: "output" };
  return next < total && fits > 0 ? { shown, next, reason: "limit" } : { shown };
}

export function sizeOfHit(hit: Hit): number {
  const lines = [hit, ...hit.before, ...hit.after];
  return hit.path.length + lines.reduce((sum, { content }) => sum + content.length + 8, 0);
}

/** Returns a few matches as a list, and many as one compact text for a model to read. A script always gets the list. */
export function shownHits(hits: readonly Hit[], origin: Origin): JsonObject {
  if (hits.length < dense || origin === "script") return { matches: hits.map(oneHit) };
  const files = Map.groupBy(hits, (hit) => hit.path);
  const text = [...files].map(([path, own]) => `${path}\n${denseLines(own).join("\n")}`).join("\n\n");
  return { matches_text: text, matches_format: format };
}

function oneHit({ path, line, content, before, after }: Hit): JsonValue {
  return {
    path,
    line,
    content,
    ...(before.length > 0 && { before: before.map((each) => `${each.line}-${each.content}`) }),
    ...(after.length > 0 && { after: after.map((each) => `${each.line}-${each.content}`) }),
  };
}

function denseLines(hits: readonly Hit[]): string[] {
  const lines = new Map<number, string>();
  const add = (line: Line, mark: string) => {
    if (mark === ":" || !lines.has(line.line)) lines.set(line.line, `  ${line.line}${mark}${indented(line.content)}`);
  };
  for (const hit of hits) {
    for (const line of hit.before) add(line, "-");
    add(hit, ":");
    for (const line of hit.after) add(line, "-");
  }
  const hasContext = hits.some(({ before, after }) => before.length + after.length > 0);
  const sorted = [...lines].toSorted(([a], [b]) => a - b);
  return sorted.flatMap(([line, text], index) => {
    const last = sorted[index - 1]?.[0];
    return hasContext && last !== undefined && line > last + 1 ? ["  --", text] : [text];
  });
}

function indented(content: string): string {
  return content.replaceAll("\n", "\n    ");
}

const dense = 5;
const maxChars = 60_000;
const format = "a file, then its lines: LINE:match, LINE-context";

interface Request {
  readonly pattern: string;
  readonly target: string;
  readonly file_glob?: string | undefined;
  readonly ignore_case: boolean;
}

/** Returns a hint for a search without results. */
export async function noHitsHint(
  { pattern, target, file_glob: glob, ignore_case: ignoreCase }: Request,
  roots: readonly Root[],
  scope: SearchScope,
  parts: readonly Pick<SearchResult, "searched">[],
  ctx: ToolContext<"environment">,
): Promise<string> {
  const isFiles = target === "files" || target === "find";
  const searched = parts.reduce<number | undefined>(
    (sum, part) => (sum === undefined || part.searched === undefined ? undefined : sum + part.searched),
    0,
  );
  const message: string[] = [];
  const binary = await binaryRoot(roots, ctx);
  if (binary !== undefined) message.push(`${binary} is a binary file: it is not searched.`);
  else if (isFiles) message.push("No file has such a name.");
  else if (searched === 0) message.push("No match: perhaps there is no file to search, or none fits file_glob.");
  // A glob with folders filters the results afterwards, so the number would be too large.
  else
    message.push(
      searched === undefined || glob?.includes("/") ? "No match." : `No match in ${plural(searched, "file")}.`,
    );
  if (roots.some((root) => root.file === undefined)) {
    const left = [...(scope.hidden ? [] : ["hidden"]), ...(scope.noIgnore ? [] : ["no_ignore"])];
    if (left.length > 0)
      message.push(`${leftOut(scope)} were not searched (${left.join(", ")}: true searches them too).`);
  }
  if (isFiles && /[\\^$]|\.\*/u.test(pattern))
    message.push("For files the pattern is a glob, not a regular expression.");
  if (!isFiles && /\\\|/u.test(pattern)) message.push("\\| is the character itself; for one or the other write a|b.");
  if (glob !== undefined && /,/u.test(glob) && !glob.includes("{")) message.push(`For several globs write {${glob}}.`);
  else if (glob?.includes("/")) message.push("file_glob is taken from path on.");
  if (!ignoreCase && /\p{L}/u.test(pattern)) message.push("The search is case-sensitive unless ignore_case is true.");
  return message.join(" ");
}

function leftOut({ hidden, noIgnore }: SearchScope): string {
  if (hidden) return "Ignored files";
  return noIgnore ? "Hidden files" : "Hidden and ignored files";
}

async function binaryRoot(roots: readonly Root[], { environment, signal }: ToolContext<"environment">) {
  const [root] = roots;
  if (roots.length !== 1 || root?.file === undefined) return undefined;
  const path = `${root.folder === "/" ? "" : root.folder}/${root.file}`;
  const head = await environment.files.read(path, signal, { from: 0, bytes: 65_536 });
  if (!head.ok) return undefined;
  const [first, second] = head.value;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && head.value.includes(0) ? root.asked : undefined;
}

import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { Hit, Line } from "./search.ts";

export interface Page<T> {
  readonly shown: readonly T[];
  /** Where to go on; undefined when nothing is left. */
  readonly next?: number;
  readonly reason?: "limit" | "output";
}

/** As many as one answer has room for. The first is always there, so that paging gets on. */
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

/** Few hits one by one, many as one dense text. */
export function shownHits(hits: readonly Hit[]): JsonObject {
  if (hits.length < dense) return { matches: hits.map(oneHit) };
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

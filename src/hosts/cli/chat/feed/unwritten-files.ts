import type { FeedItem } from "./feed-state.ts";

/**
 * Files that the turn failed to write and did not write later, each with the last failure. The model's answer may
 * wrongly claim that they were written.
 */
export function unwrittenFiles(items: readonly FeedItem[]): readonly { readonly path: string; readonly why: string }[] {
  const failures = new Map<string, string>();
  for (const item of items) {
    if (item.type !== "call" || !item.result || !writers.has(item.name)) continue;
    const path = item.args["path"];
    if (typeof path !== "string") continue;
    // Deletes the entry first, so that the newest failure comes last.
    failures.delete(path);
    if (item.result.failed) failures.set(path, item.result.summary);
  }
  return Array.from(failures, ([path, why]) => ({ path, why }));
}

const writers: ReadonlySet<string> = new Set(["write_file", "patch"]);

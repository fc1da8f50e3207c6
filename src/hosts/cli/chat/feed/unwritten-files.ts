import { oneLine, plural } from "../../../../base/text/text.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { FeedItem } from "./feed-state.ts";

/**
 * Files that the turn failed to write and did not write later, without those that a person or a rule denied. The model's
 * answer may wrongly claim that they were written.
 */
export function unwrittenFiles(items: readonly FeedItem[]): readonly string[] {
  const failures = new Set<string>();
  for (const item of items) {
    if (item.type !== "call" || !item.result || !writers.has(item.name)) continue;
    const path = item.args["path"];
    if (typeof path !== "string") continue;
    if (item.result.failed && item.result.denied === undefined) failures.add(path);
    else failures.delete(path);
  }
  return [...failures];
}

/** Names the files. The lines of their calls have the reasons. */
export function unwrittenText(paths: readonly string[]): string {
  const shown = paths.slice(0, maxFiles).map((path) => escapeInvisible(oneLine(path, 200)));
  const more = paths.length > shown.length ? `, and ${paths.length - shown.length} more` : "";
  const were = paths.length === 1 ? "was" : "were";
  return `⚠ ${plural(paths.length, "file")} ${were} not written: ${shown.join(", ")}${more}`;
}

const writers: ReadonlySet<string> = new Set(["write_file", "patch"]);
const maxFiles = 5;

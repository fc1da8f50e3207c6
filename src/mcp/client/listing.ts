import type { Clock } from "../../base/clock.ts";
import { type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { McpFault, McpLimits } from "../../contracts/mcp/connection.ts";
import type { AskServer } from "./request.ts";

export interface PageRequest<T> {
  readonly method: string;
  /** The key under which a page holds its items. */
  readonly key: string;
  /** Returns undefined to drop the item. */
  readonly read: (raw: unknown) => T | undefined;
  readonly problem: (text: string) => void;
}

/**
 * Fetches all pages of a list, within limits of time, pages and items. Exceeding a limit is reported as a problem,
 * not as a failure.
 */
export async function listAll<T>(
  ask: AskServer,
  { method, key, read, problem }: PageRequest<T>,
  { signal, timeoutMs }: McpLimits,
  clock: Clock,
): Promise<Result<readonly T[], McpFault>> {
  const endAt = clock.elapsed() + timeoutMs;
  const items: T[] = [];
  const cursors = new Set<string>();
  let params: JsonObject = {};
  for (let pages = 1; ; pages++) {
    const page = await ask(method, params, { signal, timeoutMs: Math.max(1, endAt - clock.elapsed()) });
    if (!page.ok)
      return items.length > 0 && page.error.kind === "timeout"
        ? stop("the list was not complete in time")
        : err(page.error);
    const raws = page.value[key];
    if (!Array.isArray(raws)) return stop(`page ${pages} has no list`);
    const before = items.length;
    for (const raw of raws as readonly unknown[]) {
      if (items.length >= maxItems) return stop(`the list has more than ${maxItems} entries`);
      const item = read(raw);
      if (item !== undefined) items.push(item);
    }
    const cursor = page.value.nextCursor;
    if (typeof cursor !== "string") return ok(items);
    if (cursors.has(cursor)) {
      items.length = before;
      return stop("the pages repeat");
    }
    if (pages >= maxPages) return stop(`the list has more than ${maxPages} pages`);
    cursors.add(cursor);
    params = { cursor };
  }

  function stop(why: string): Result<readonly T[], McpFault> {
    problem(`The list of ${key} was cut after ${items.length} entries: ${why}.`);
    return ok(items);
  }
}

const maxItems = 10_000;
const maxPages = 1_000;

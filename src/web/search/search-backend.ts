import { isObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { ServiceTarget } from "../../contracts/tool/effect.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import type { WebHit } from "../../contracts/web/pages.ts";

/** One search engine for `web_search`. */
export interface SearchBackend {
  /** The name in the settings. */
  readonly name: string;
  /** The servers that get the query. Never rejects. */
  targets(signal: AbortSignal): Promise<readonly ServiceTarget[]>;
  /** Never rejects. */
  search(query: string, limit: number, signal: AbortSignal): Promise<Result<EngineAnswer, CallFault>>;
}

export interface EngineAnswer {
  readonly hits: readonly WebHit[];
  readonly notes?: readonly string[];
}

/** The hits in a list of objects of others. An entry without a web address is left out. */
export function hitsOf(list: unknown, read: (entry: Readonly<Record<string, unknown>>) => WebHit): readonly WebHit[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const hit = isObject(entry) ? read(entry) : undefined;
    return hit !== undefined && /^https?:\/\//iu.test(hit.url) ? [hit] : [];
  });
}

/** The first text among these values of an answer. */
export function textIn(...values: readonly unknown[]): string {
  for (const value of values) {
    if (typeof value === "string" && value !== "") return value;
    if (Array.isArray(value)) {
      const texts = value.filter((each): each is string => typeof each === "string");
      if (texts.length > 0) return texts.join(" … ");
    }
  }
  return "";
}

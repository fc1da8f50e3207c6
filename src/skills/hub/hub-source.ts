import type { Result } from "../../base/result.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";

export interface OfferedSkill {
  /** The argument of `install`: `github:owner/repository/path`, `clawhub:slug`, a URL, a folder. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  /** The publisher, such as `openai/skills`, which determines the trust level. */
  readonly publisher: string;
}

export interface FetchedSkill {
  readonly offer: OfferedSkill;
  /** Unchanged, with paths relative to the skill's folder. */
  readonly entries: readonly SkillEntry[];
}

/** A source of skills. Hermes scans everything from a source before use. */
export interface HubSource {
  readonly name: string;
  /** Whether the id belongs to this source. */
  owns(id: string): boolean;
  /** Matching skills; a selection if the query is empty. */
  search(query: string, signal: AbortSignal): Promise<Result<readonly OfferedSkill[]>>;
  fetch(id: string, signal: AbortSignal): Promise<Result<FetchedSkill>>;
}

/** The size limits of a skill. Larger skills are rejected. */
export const fetchLimits = { files: 200, bytes: 5_000_000, fileBytes: 1_500_000 } as const;

/** Normalizes a path within a skill's folder. Returns undefined if it would leave the folder. */
export function plainPath(path: string): string | undefined {
  const parts = path.replaceAll("\\", "/").split("/");
  const isPlain = parts.every(
    (part) =>
      part !== "" &&
      part !== "." &&
      part !== ".." &&
      !/[\p{Cc}:]/u.test(part) &&
      Buffer.byteLength(part) <= maxNameChars,
  );
  return isPlain && parts.length <= 8 ? parts.join("/") : undefined;
}

/** File systems allow names of 255 bytes, and temporary names are longer than the final ones. */
const maxNameChars = 200;

/** Whether every word of the query appears in one of the texts. */
export function matchesQuery(query: string, ...texts: readonly string[]): boolean {
  const text = texts.join(" ").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

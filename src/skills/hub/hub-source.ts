import type { Result } from "../../base/result.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";

/** A skill that somebody offers. */
export interface OfferedSkill {
  /** What `install` takes: `github:owner/repository/path`, `clawhub:slug`, an address, a folder. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  /** Who answers for it, such as `openai/skills`. What it is trusted with depends on it. */
  readonly publisher: string;
}

export interface FetchedSkill {
  readonly offer: OfferedSkill;
  /** Below the skill's folder, as they came. */
  readonly entries: readonly SkillEntry[];
}

export interface HubFault {
  readonly message: string;
}

/** A place that offers skills. Nothing of what it says is used before it was scanned. */
export interface HubSource {
  readonly name: string;
  /** Is this an id of one of its skills? */
  owns(id: string): boolean;
  /** Those that fit; an empty query: some of all. */
  search(query: string, signal: AbortSignal): Promise<Result<readonly OfferedSkill[], HubFault>>;
  fetch(id: string, signal: AbortSignal): Promise<Result<FetchedSkill, HubFault>>;
}

/** A skill with more is none. */
export const fetchLimits = { files: 200, bytes: 5_000_000, fileBytes: 1_500_000 } as const;

/** A path below a skill's folder, as a source names it. Undefined: it would lead elsewhere. */
export function plainPath(path: string): string | undefined {
  const parts = path.replaceAll("\\", "/").split("/");
  const isPlain = parts.every(
    (part) =>
      part !== "" &&
      part !== "." &&
      part !== ".." &&
      !/[\p{Cc}:]/u.test(part) &&
      Buffer.byteLength(part) <= longestName,
  );
  return isPlain && parts.length <= 8 ? parts.join("/") : undefined;
}

/** File systems take 255 bytes, and a little is added while it is written. */
const longestName = 200;

/** Does every word of the query stand in one of the texts? */
export function fits(query: string, ...texts: readonly string[]): boolean {
  const text = texts.join(" ").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

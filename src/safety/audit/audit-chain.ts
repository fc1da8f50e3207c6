import { sha256 } from "../../base/digest.ts";
import { canonicalJson, isObject, type JsonObject } from "../../base/json.ts";

/** The record of one decision or effect. It contains only a hash of the arguments, never arguments or output. */
export interface AuditEntry {
  /** `head_lost`: the log existed without its head file. `torn_end`: a write before this entry was interrupted. */
  readonly kind: "decision" | "effect" | "answer" | "rules" | "head_lost" | "torn_end";
  readonly session?: string;
  readonly call?: string;
  /** The parent of a nested call. */
  readonly parent?: string;
  readonly who: string;
  readonly origin?: string;
  readonly tool?: string;
  /** SHA-256 of the arguments. */
  readonly args?: string;
  readonly backend?: string;
  readonly effects?: readonly string[];
  readonly decision?: "allow" | "deny";
  readonly rule?: string;
  readonly cause?: string;
  /** Who approved the call: `none` (no approval was needed), `rule`, `session`, `yolo`, `smart`, `person`… */
  readonly approval?: string;
  /** The outcome of an effect: `ok`, or the kind of failure and what the call changed. */
  readonly outcome?: string;
  readonly durationMs?: number;
  readonly note?: string;
}

export interface ChainedEntry extends AuditEntry {
  readonly seq: number;
  readonly at: number;
  readonly prev: string;
  readonly hash: string;
}

/** The last entry of the chain, also stored in the head file. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
  /** Size of the current file. */
  readonly bytes: number;
  /** The number of full files before the current one. */
  readonly file: number;
  /** The start of the oldest file that still exists. */
  readonly first: { readonly seq: number; readonly prev: string };
}

const beginning = "0".repeat(64);

export const emptyHead: AuditHead = { seq: 0, hash: beginning, bytes: 0, file: 0, first: { seq: 1, prev: beginning } };

/** Formats one line of the log. Its hash covers all lines before it. */
export function chainLine(
  entry: AuditEntry,
  recordedAt: number,
  head: Pick<AuditHead, "seq" | "hash">,
): { readonly line: string; readonly hash: string } {
  const body = { seq: head.seq + 1, at: recordedAt, ...entry, prev: head.hash };
  const text = JSON.stringify(body);
  const hash = sha256(text);
  // Returns the text of the entry with its hash as the last field.
  return { line: `${text.slice(0, -1)},"hash":"${hash}"}\n`, hash };
}

/** Checks that a line continues the chain after `prev`. Returns its entry or the problem. */
export function readLine(line: string, prev: Pick<AuditHead, "seq" | "hash">): ChainedEntry | string {
  const entry = parseEntry(line);
  if (entry === undefined) return "is not an entry";
  const { hash, ...body } = entry;
  if (JSON.stringify(entry) !== line || sha256(JSON.stringify(body)) !== hash) return "was changed";
  if (entry.seq !== prev.seq + 1)
    return entry.seq > prev.seq ? `comes after ${plainCount(entry.seq - prev.seq - 1)} missing` : "is out of order";
  return entry.prev === prev.hash ? entry : "does not follow on the entry before it";
}

/**
 * Returns whether the text after the last confirmed entry is the beginning of a line, as after an interrupted write.
 */
export function isTorn(rest: string): boolean {
  return rest !== "" && !rest.includes("\n");
}

/** Parses the entry of a line, without checking its predecessor. */
export function parseEntry(line: string): ChainedEntry | undefined {
  try {
    const read: unknown = JSON.parse(line);
    if (!isObject(read) || typeof read["hash"] !== "string" || typeof read["prev"] !== "string") return undefined;
    if (!Number.isSafeInteger(read["seq"]) || typeof read["at"] !== "number" || typeof read["kind"] !== "string")
      return undefined;
    // Safe cast: callers check the fields that they use, and the hash covers the rest.
    return read as unknown as ChainedEntry;
  } catch {
    return undefined;
  }
}

/** Returns one hash of the arguments of a call, independent of the order of keys. */
export function argumentsHash(args: JsonObject): string {
  return sha256(canonicalJson(args));
}

function plainCount(count: number): string {
  return count === 1 ? "1 entry that is" : `${count} entries that are`;
}

import { readFile } from "node:fs/promises";

import { codeOf } from "../../base/files/file-fault.ts";
import { reasonOf } from "../../base/result.ts";
import { type AuditHead, type ChainedEntry, emptyHead, parseEntry, readLine } from "./audit-chain.ts";
import { type AuditPlace, currentFile, fullFile, fullFiles, readHead } from "./audit-files.ts";

export interface AuditReport {
  readonly ok: boolean;
  readonly entries: number;
  /** The last entry. A copy of its hash that is stored elsewhere can later prove that nothing before it changed. */
  readonly head: { readonly seq: number; readonly hash: string } | undefined;
  /** The number of bytes of an incomplete entry at the end, left by a full disk or a power loss, not by tampering. */
  readonly tornBytes: number;
  /** The problems with their positions, at most twenty. */
  readonly faults: readonly string[];
}

/** Reads the whole log and compares it with its head and, if given, with a hash that a person noted. Never rejects. */
export async function verifyAudit(
  place: AuditPlace,
  noted?: { readonly seq: number; readonly hash: string },
): Promise<AuditReport> {
  const faults: string[] = [];
  const add = (fault: string) => faults.length < maxFaults && faults.push(fault);
  let head: AuditHead | undefined;
  try {
    head = readHead(place);
  } catch (thrown) {
    add(`the head cannot be read: ${reasonOf(thrown)}`);
  }
  let last: Pick<AuditHead, "seq" | "hash"> = {
    seq: (head ?? emptyHead).first.seq - 1,
    hash: (head ?? emptyHead).first.prev,
  };
  let entries = 0;
  let isNotedSeen = false;
  let tornBytes = 0;
  try {
    for await (const { file, number, line, offset, isLast } of lines(place, head)) {
      if (line === "") continue;
      if (isLast && head && offset >= head.bytes) {
        tornBytes = Buffer.byteLength(line);
        continue;
      }
      entries += 1;
      const read = readLine(line, last);
      const entry = typeof read === "string" ? parseEntry(line) : read;
      if (typeof read === "string") add(`${file}:${number}: entry ${entry?.seq ?? "?"} ${read}`);
      if (entry) last = { seq: entry.seq, hash: entry.hash };
      if (entry?.kind === "head_lost")
        add(`${file}:${number}: before entry ${entry.seq} the head was missing: entries may be missing there`);
      if (entry && entry.seq === noted?.seq && entry.hash === noted.hash) isNotedSeen = true;
      if (typeof read !== "string" && head && read.seq === head.seq && read.hash !== head.hash)
        add(`entry ${read.seq} does not match the entry that the head records`);
    }
  } catch (thrown) {
    add(`the log cannot be read: ${reasonOf(thrown)}`);
  }
  if (head && last.seq < head.seq)
    add(
      `${head.seq - last.seq} entries are missing at the end: the head names entry ${head.seq}, the last one here is ${last.seq}`,
    );
  if (head === undefined && entries > 0 && faults.length === 0)
    add("the head is missing: entries at the end may be missing too");
  if (noted && !isNotedSeen) add(`entry ${noted.seq} with the hash that you gave is not in the log`);
  return {
    ok: faults.length === 0,
    entries,
    tornBytes,
    head: entries > 0 || head ? { seq: last.seq, hash: last.hash } : undefined,
    faults,
  };
}

const maxFaults = 20;

/** Returns the newest entries that match, oldest first. */
export async function readAudit(
  place: AuditPlace,
  options: { readonly limit: number; readonly fits?: (entry: ChainedEntry) => boolean },
): Promise<readonly ChainedEntry[]> {
  const chained: ChainedEntry[] = [];
  for await (const { line } of lines(place, undefined)) {
    const entry = parseEntry(line);
    if (!entry || options.fits?.(entry) === false) continue;
    chained.push(entry);
    if (chained.length > options.limit * 2) chained.splice(0, chained.length - options.limit);
  }
  return chained.slice(-options.limit);
}

interface LogLine {
  readonly file: string;
  readonly number: number;
  readonly line: string;
  /** The offset in bytes from the start of the file. */
  readonly offset: number;
  /** True for the text after the last line of the current file, which is empty unless a write was interrupted. */
  readonly isLast: boolean;
}

async function* lines(place: AuditPlace, head: AuditHead | undefined): AsyncGenerator<LogLine> {
  const numbers = await fullFiles(place);
  const expected = head === undefined ? numbers : numbers.filter((number) => number <= head.file);
  for (const file of [...expected.map((number) => fullFile(place, number)), currentFile(place)]) {
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return "";
      throw error;
    });
    const all = text.split("\n");
    let offset = 0;
    for (const [index, line] of all.entries()) {
      const isLast = file === currentFile(place) && index === all.length - 1;
      yield { file, number: index + 1, line, offset, isLast };
      offset += Buffer.byteLength(line) + 1;
    }
  }
}

import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";

import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { appendLines } from "../../base/files/append-lines.ts";
import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { createFileLock } from "../../base/files/file-lock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type AuditEntry, type AuditHead, chainLine, emptyHead, isTorn, parseEntry, readLine } from "./audit-chain.ts";
import { type AuditPlace, currentFile, firstLine, fullFile, fullFiles, readHead, writeHead } from "./audit-files.ts";

export interface AuditLog {
  /** Resolves when the entry is in the file. Concurrent entries are written together. Never rejects. */
  append(entry: AuditEntry, wait?: "none" | "short"): Promise<Result<void>>;
  /** Nobody waits for this entry, so it is composed and written later. `flush` reports a failure. */
  appendLate(compose: () => AuditEntry): void;
  /** Resolves when every entry is in the file, or with the first failure since the last flush. Never rejects. */
  flush(): Promise<Result<void>>;
}

export interface AuditOptions extends AuditPlace {
  readonly clock: Clock;
  /** The maximum size of a file. A larger file is rotated. */
  readonly maxBytes?: number;
  /** The number of full files to keep. */
  readonly keepFiles?: number;
}

/**
 * An append-only log in which a hash links each entry to all earlier ones. Concurrent writers write one after another.
 */
export function createAuditLog(options: AuditOptions): AuditLog {
  const lock = createFileLock(currentFile(options));
  let waiting: WaitingEntry[] = [];
  let writing: Promise<Result<void>> | undefined;
  /** Starts the write that is waiting for more entries. */
  let begin: (() => void) | undefined;
  /** Resolves when all writes so far have ended. */
  let all: Promise<Result<void>> = Promise.resolve(ok(undefined));

  async function writeAfter(wait: "short" | "late"): Promise<Result<void>> {
    const started = Promise.withResolvers<void>();
    begin = started.resolve;
    await waitFor(started.promise, { ms: waitMs[wait], clock: options.clock });
    return write();
  }

  async function write(): Promise<Result<void>> {
    try {
      const written = await writeLocked();
      if (written.ok || written.error.code !== "ENOENT") return written;
      await makeFolder(options.folder, 0o700);
      return await writeLocked();
    } catch (thrown) {
      return err(describeFault(thrown, options.folder));
    }
  }

  function writeLocked() {
    const work = async () => {
      const batch = waiting;
      waiting = [];
      writing = undefined;
      begin = undefined;
      await appendAll(batch, options);
    };
    const signal = new AbortController().signal;
    return lock.hold(work, { signal, timeoutMs: lockMs, clock: options.clock });
  }

  /** How long the entry waits for others, so that one write serves them all: `late` if nobody waits for it. */
  function add(compose: () => AuditEntry, wait: "none" | "short" | "late"): Promise<Result<void>> {
    waiting.push({ compose, at: options.clock.now() });
    if (wait === "none" || waiting.length >= maxWaiting) begin?.();
    else if (wait === "short" && begin) options.clock.after(waitMs.short, begin);
    if (writing) return writing;
    const mine = (wait === "none" ? write() : writeAfter(wait)).finally(() => {
      // Another write may already be running, with its own entries.
      if (writing === mine) writing = undefined;
    });
    all = Promise.all([all, mine]).then(([before, now]) => (before.ok ? now : before));
    return (writing = mine);
  }

  return {
    append: (entry, wait = "none") => add(() => entry, wait),
    appendLate: (compose) => void add(compose, "late"),
    async flush() {
      begin?.();
      const written = all;
      all = Promise.resolve(ok(undefined));
      return written;
    },
  };
}

const lockMs = 10_000;
const waitMs = { short: 10, late: 1_000 } as const;
/** Entries in memory. */
const maxWaiting = 2_000;
const defaultMaxBytes = 16_000_000;
const defaultKeepFiles = 16;

interface WaitingEntry {
  readonly compose: () => AuditEntry;
  readonly at: number;
}

async function appendAll(batch: readonly WaitingEntry[], options: AuditOptions): Promise<void> {
  const lastHead = readHead(options);
  const before = await rotated(currentHead(lastHead ?? emptyHead, options), options);
  const isLost = lastHead === undefined && before.bytes > 0;
  // The head is written first, so that a crash never leaves a log without a head.
  if (lastHead === undefined && !isLost) writeHead(options, before);
  const fd = openSync(currentFile(options), "a+", 0o600);
  try {
    const own: AuditEntry[] = isLost ? [{ kind: "head_lost", who: "hermes" }] : [];
    const torn = readFrom(currentFile(options), before.bytes);
    if (isTorn(torn)) {
      ftruncateSync(fd, before.bytes);
      own.push({
        kind: "torn_end",
        who: "hermes",
        note: `removed ${Buffer.byteLength(torn)} bytes of an unconfirmed entry`,
      });
    }
    const start = fstatSync(fd).size;
    let { seq, hash } = before;
    let text = "";
    const first = own.map((entry): WaitingEntry => ({ compose: () => entry, at: options.clock.now() }));
    for (const { compose, at: recordedAt } of [...first, ...batch]) {
      const chained = chainLine(compose(), recordedAt, { seq, hash });
      text += chained.line;
      [seq, hash] = [seq + 1, chained.hash];
    }
    const { bytes, fault } = appendLines(fd, text);
    if (fault !== undefined) {
      // No entry of the batch is confirmed, so the whole batch is removed.
      ftruncateSync(fd, start);
      throw fault;
    }
    writeHead(options, { ...before, seq, hash, bytes: start + bytes });
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns the head to continue from. If a program was killed between writing the log and the head, complete entries
 * follow the head: they are accepted if they continue the chain. Anything else stays unchanged, for `verifyAudit` to
 * report.
 */
function currentHead(head: AuditHead, options: AuditOptions): AuditHead {
  let { seq, hash, bytes } = head;
  for (const line of readFrom(currentFile(options), bytes).split("\n").slice(0, -1)) {
    if (line === "") continue;
    const entry = readLine(line, { seq, hash });
    if (typeof entry === "string") break;
    [seq, hash, bytes] = [entry.seq, entry.hash, bytes + Buffer.byteLength(line) + 1];
  }
  return { ...head, seq, hash, bytes };
}

function readFrom(file: string, bytes: number): string {
  try {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= bytes) return "";
    return readFileSync(file).subarray(bytes).toString("utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}

async function rotated(head: AuditHead, options: AuditOptions): Promise<AuditHead> {
  const { maxBytes = defaultMaxBytes, keepFiles = defaultKeepFiles } = options;
  if (head.bytes < maxBytes) return head;
  try {
    renameSync(currentFile(options), fullFile(options, head.file + 1));
  } catch (error) {
    // A process was killed directly after it renamed the file.
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const kept = await fullFiles(options);
  const dropped = kept.slice(0, Math.max(0, kept.length - keepFiles));
  const oldest = kept[dropped.length];
  const begins = oldest === undefined ? undefined : parseEntry(firstLine(fullFile(options, oldest)) ?? "");
  const first = begins && dropped.length > 0 ? { seq: begins.seq, prev: begins.prev } : head.first;
  const next = { ...head, bytes: 0, file: head.file + 1, first };
  // The head is written first: an extra file is harmless, but a missing one counts as damage.
  writeHead(options, next);
  for (const number of dropped) rmSync(fullFile(options, number), { force: true });
  return next;
}

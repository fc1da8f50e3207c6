import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, basename, dirname } from "node:path";

import type { Clock } from "../clock.ts";
import { appendLinesTo } from "../files/append-lines.ts";
import { codeOf, FileError } from "../files/file-fault.ts";
import { withFileLock } from "../files/file-lock.ts";
import { makeFolder, makeFolderSync } from "../files/make-folder.ts";
import { reasonOf } from "../result.ts";
import { logLine } from "./log-line.ts";
import type { LogFields, Logger, LogLevel } from "./log.ts";

export interface FileLogOptions extends LogLimits {
  /** The folder of the log file, which is created with the first line, for its owner only. */
  readonly folder: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** The minimum level to write. */
  readonly level: LogLevel;
}

/** Disposing writes the pending lines for at most two seconds; later lines are dropped. */
export interface FileLog extends Logger, AsyncDisposable {
  /** Resolves when every line so far is written or dropped. */
  flush(): Promise<void>;
  /** The synchronous version of `flush`, for use before the process exits. Does not rotate. */
  flushSync(): void;
}

/**
 * A log of JSON lines, `{at, level, event, ...fields}`, in `folder/hermes.jsonl`. Several processes may share the
 * file. Lines are collected and written shortly after. Never throws, rejects or blocks its caller. Lines that a full
 * or read-only disk rejects are dropped, and the next successful batch reports their number.
 */
export function createFileLog(options: FileLogOptions): FileLog {
  const { folder, clock, redact, maxTotalBytes } = options;
  const maxFileBytes = Math.min(options.maxFileBytes, maxTotalBytes);
  const path = join(folder, "hermes.jsonl");
  const minLevel = levels.indexOf(options.level);
  const waiting = createBuffer();
  const ended = new AbortController();
  let isClosed = false;
  let timer: Disposable | undefined;
  let writing: Promise<void> | undefined;
  let lost = nothingLost;

  function log(level: LogLevel, event: string, common: LogFields, fields: LogFields | undefined) {
    if (isClosed || levels.indexOf(level) < minLevel) return;
    try {
      const line = logLine({ at: clock.now(), level, event }, { ...common, ...fields }, redact);
      if (!waiting.add(line)) lose(1, "too many lines at once");
    } catch (thrown) {
      // Reading fields may throw, because of getters.
      lose(1, reasonOf(thrown));
    }
    timer ??= clock.after(gatherMs, () => void flush());
  }

  function lose(lines: number, reason: string) {
    lost = { lines: lost.lines + lines, reason };
  }

  function flush(): Promise<void> {
    writing ??= drain().finally(() => (writing = undefined));
    return writing;
  }

  async function drain(): Promise<void> {
    timer?.[Symbol.dispose]();
    timer = undefined;
    while (waiting.bytes > 0) await writeSome();
  }

  /** The file is opened for each batch, so that a file that another process has rotated is not used for long. */
  async function writeSome(): Promise<void> {
    const maxBytes = Math.min(maxBatchBytes, maxFileBytes);
    let batch: Batch | undefined;
    let text = "";
    try {
      await makeFolder(folder, 0o700);
      const limits = { maxFileBytes, maxTotalBytes };
      await makeRoom(path, Math.min(maxBytes, waiting.bytes), limits, { signal: ended.signal, clock });
      await using file = await open(path, "a+", 0o600);
      const { size } = await file.stat();
      if (size > maxTotalBytes) throw new FileError("EFBIG");
      const before = (await endsLine(file, size)) ? "" : "\n";
      // The batch is removed from the buffer only now, so that `flushSync` can still write the pending lines.
      batch = takeBatch(maxBytes);
      const bytes = Buffer.from(before + batch.text);
      const { bytesWritten } = await file.write(bytes);
      if (bytesWritten < bytes.length) {
        text = bytes.subarray(before.length, bytesWritten).toString("utf8");
        throw new FileError("ENOSPC");
      }
    } catch (error) {
      lose((batch ?? takeBatch(maxBytes)).without(text), codeOf(error));
    }
  }

  /** The pending lines, preceded by a note about lost lines. */
  function takeBatch(maxBytes: number): Batch {
    const lines = waiting.take(maxBytes);
    const before = lost;
    lost = nothingLost;
    const report = { at: clock.now(), level: "warn", event: "log.dropped" } as const;
    const notice = before.lines > 0 ? logLine(report, before, redact) : "";
    return {
      text: notice + lines.join(""),
      without(text) {
        const written = text.split("\n").length - 1;
        return written === 0 ? lines.length + before.lines : lines.length + (notice === "" ? 0 : 1) - written;
      },
    };
  }

  function flushSync() {
    if (waiting.bytes === 0) return;
    const batch = takeBatch(Infinity);
    try {
      makeFolderSync(folder, 0o700);
      appendLinesTo(path, batch.text);
    } catch (error) {
      lose(batch.without(""), codeOf(error));
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    const patience = Promise.withResolvers<void>();
    using _timer = clock.after(2_000, patience.resolve);
    await Promise.race([flush(), patience.promise]);
    ended.abort();
  }

  function loggerWith(common: LogFields): Logger {
    return {
      debug: (event, fields) => log("debug", event, common, fields),
      info: (event, fields) => log("info", event, common, fields),
      warn: (event, fields) => log("warn", event, common, fields),
      error: (event, fields) => log("error", event, common, fields),
      with: (fields) => loggerWith({ ...common, ...fields }),
    };
  }

  return { ...loggerWith({}), flush, flushSync, [Symbol.asyncDispose]: close };
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];
const gatherMs = 200;
const maxBatchBytes = 64_000;
const maxWaitingBytes = 2_000_000;
const nothingLost: { readonly lines: number; readonly reason: string } = { lines: 0, reason: "" };

interface Batch {
  readonly text: string;
  /** The number of lost lines if only this beginning of the text was written. */
  without(text: string): number;
}

/** Lines that wait to be written, up to a size. */
function createBuffer() {
  let lines: { readonly text: string; readonly bytes: number }[] = [];
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    /** Returns false if the buffer is full and the line is dropped. */
    add(text: string): boolean {
      const line = { text, bytes: Buffer.byteLength(text) };
      if (bytes + line.bytes > maxWaitingBytes) return false;
      lines.push(line);
      bytes += line.bytes;
      return true;
    },
    /** The oldest lines, up to this many bytes but at least one. */
    take(maxBytes: number): string[] {
      let count = 0;
      let takenBytes = 0;
      for (const line of lines) {
        if (count > 0 && takenBytes + line.bytes > maxBytes) break;
        takenBytes += line.bytes;
        count += 1;
      }
      const first = lines.slice(0, count);
      lines = lines.slice(count);
      bytes -= takenBytes;
      return first.map(({ text }) => text);
    },
  };
}

/** False after a write that was interrupted by a full disk or a kill. */
async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 10;
}

interface LogLimits {
  /** The maximum size of a log file. A file that would exceed it is rotated. */
  readonly maxFileBytes: number;
  /** The maximum size of all log files; the oldest are removed first. */
  readonly maxTotalBytes: number;
}

/**
 * Renames `name.jsonl` to `name.1.jsonl` if `addBytes` more would exceed the limit, renumbers the older files, and
 * removes the oldest beyond the total. If several processes try this, only one does it. Never rejects; the next
 * process completes an interrupted rotation.
 */
async function makeRoom(
  path: string,
  addBytes: number,
  limits: LogLimits,
  wait: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  try {
    const plan = async () => planFor(await logFiles(path), addBytes, limits);
    if (isEmpty(await plan())) return;
    // Another process may have rotated already, so the plan is computed again.
    await withFileLock(path, async () => carryOut(await plan(), path), { ...wait, timeoutMs: 1_000 });
  } catch {
    // The next batch tries again.
  }
}

interface LogFile {
  /** The number of the file; 0 for the current one. */
  readonly number: number;
  readonly bytes: number;
}

interface Plan {
  readonly remove: readonly LogFile[];
  /** Oldest first, so that no rename replaces a file. */
  readonly renumber: readonly LogFile[];
}

function planFor(files: readonly LogFile[], addBytes: number, limits: LogLimits): Plan {
  const current = files.find(({ number }) => number === 0)?.bytes ?? 0;
  const isFull = current > 0 && current + addBytes > limits.maxFileBytes;
  const remove: LogFile[] = [];
  const renumber: LogFile[] = [];
  let bytes = limits.maxFileBytes;
  for (const file of files) {
    if (file.number === 0 && !isFull) continue;
    bytes += file.bytes;
    if (bytes > limits.maxTotalBytes) remove.push(file);
    else if (isFull) renumber.unshift(file);
  }
  return { remove, renumber };
}

function isEmpty(plan: Plan): boolean {
  return plan.remove.length === 0 && plan.renumber.length === 0;
}

async function carryOut({ remove, renumber }: Plan, path: string): Promise<void> {
  for (const { number } of remove) await rm(numbered(path, number), { force: true });
  for (const { number } of renumber) await rename(numbered(path, number), numbered(path, number + 1));
}

/** Log files, newest first. */
async function logFiles(path: string): Promise<LogFile[]> {
  const pattern = new RegExp(`^${RegExp.escape(stemOf(path))}(?:\\.([1-9]\\d{0,5}))?\\.jsonl$`, "u");
  const files: LogFile[] = [];
  for (const name of await readdir(dirname(path))) {
    const match = pattern.exec(name);
    const stats = match && (await stat(join(dirname(path), name)).catch(() => undefined));
    if (stats) files.push({ number: Number(match[1] ?? 0), bytes: stats.size });
  }
  return files.toSorted((a, b) => a.number - b.number);
}

function numbered(path: string, number: number): string {
  return number === 0 ? path : join(dirname(path), `${stemOf(path)}.${number}.jsonl`);
}

function stemOf(path: string): string {
  return basename(path, ".jsonl");
}

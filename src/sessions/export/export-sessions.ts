import { statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";

import { randomHex } from "../../base/digest.ts";
import { codeOf, describeFault, FileError, type FileFault } from "../../base/files/file-fault.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { SessionRecord, SessionStore } from "../../contracts/session/session.ts";
import { htmlPage } from "./html-page.ts";
import { jsonSession } from "./json-session.ts";
import { markdownPage } from "./markdown-page.ts";
import { readableSession } from "./readable-session.ts";
import { sessionLines } from "./session-lines.ts";

/**
 * The formats. `jsonl` contains everything and can be imported; the others are for reading, and `json` is for programs.
 */
const exportFormats = ["jsonl", "json", "md", "html"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export function formatOf(file: string): ExportFormat | undefined {
  const ending = extname(file).slice(1).toLowerCase();
  if (ending === "htm") return "html";
  return ending === "markdown" ? "md" : exportFormats.find((format) => format === ending);
}

export interface ExportDeps {
  readonly store: Pick<SessionStore, "entries">;
  /** Masks secrets. Undefined: secrets stay in the export. */
  readonly redact?: (text: string) => string;
  readonly signal: AbortSignal;
}

/** Streams the sessions one by one, so that only one is in memory. */
export async function* exportSessions(
  sessions: Iterable<SessionRecord> | AsyncIterable<SessionRecord>,
  format: ExportFormat,
  { store, redact, signal }: ExportDeps,
): AsyncGenerator<string> {
  for await (const record of sessions) {
    signal.throwIfAborted();
    const entries = await store.entries(record.id);
    if (format === "jsonl") yield* sessionLines(record, entries, redact);
    else {
      const session = readableSession(record, entries, redact ?? ((text) => text));
      if (format === "json") yield `${JSON.stringify(jsonSession(session), undefined, 2)}\n`;
      else yield* format === "md" ? markdownPage(session) : htmlPage(session);
    }
  }
}

/** Writes the file atomically, readable only by its owner. Returns its size in bytes. */
export async function writeExport(
  file: string,
  pieces: AsyncIterable<string>,
  options: { readonly overwrites: boolean },
): Promise<Result<number, FileFault>> {
  const temp = join(dirname(file), `.hermes-${basename(file).slice(0, 100)}-${randomHex(4)}.tmp`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats && !stats.isFile())
    return err(describeFault(new FileError(stats.isDirectory() ? "EISDIR" : "EFTYPE"), file));
  try {
    // The file is created first, so that a file that appears meanwhile is not replaced.
    await using held = options.overwrites ? undefined : await open(file, "wx", 0o600);
    let bytes = 0;
    try {
      await using handle = await open(temp, "wx", 0o600);
      for await (const piece of grouped(pieces)) bytes += (await handle.write(piece)).bytesWritten;
      await handle.sync();
      await rename(temp, file);
    } catch (thrown) {
      await rm(temp, { force: true });
      if (held) await rm(file, { force: true });
      throw thrown;
    }
    return ok(bytes);
  } catch (thrown) {
    // The error comes from the export, not from the file.
    if (codeOf(thrown) === "EUNKNOWN") throw thrown;
    return err(describeFault(thrown, file));
  }
}

const pieceChars = 1_000_000;

/** Combines pieces to larger writes. */
async function* grouped(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let group = "";
  for await (const piece of pieces) {
    group += piece;
    if (group.length < pieceChars) continue;
    yield group;
    group = "";
  }
  if (group !== "") yield group;
}

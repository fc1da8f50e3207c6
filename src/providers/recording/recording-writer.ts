import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";

import { appendLines } from "../../base/files/append-lines.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { JsonValue } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";
import { reasonOf } from "../../base/result.ts";
import type { RecordingLine } from "./recording-line.ts";

export interface RecordingWriter<Line = RecordingLine> extends AsyncDisposable {
  /** Appends whole lines in order. Never throws; on a write error the recording stops and the session continues. */
  write(line: Line): void;
}

export interface WriterDeps {
  redact(text: string): string;
  /** Called once, with the first write error. */
  failed(why: string): void;
}

/** Appends to a file that only this user can read. */
export function createRecordingWriter<Line = RecordingLine>(
  file: string,
  { redact, failed }: WriterDeps,
): RecordingWriter<Line> {
  let handle: FileHandle | undefined;
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let isOver = false;

  async function flush(): Promise<void> {
    // Appending starts in a later tick; otherwise `writing` would be set only after the write has ended.
    await Promise.resolve();
    try {
      if (!handle) {
        await makeFolder(dirname(file), 0o700);
        const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
        handle = await open(file, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
        await handle.chmod(0o600);
      }
      while (waiting.length > 0) {
        const lines = waiting.join("");
        waiting = [];
        const { fault } = appendLines(handle.fd, lines);
        if (fault !== undefined) throw fault;
      }
    } catch (thrown) {
      isOver = true;
      waiting = [];
      failed(reasonOf(thrown));
    } finally {
      writing = undefined;
    }
  }

  return {
    write(line) {
      if (isOver) return;
      // Safe cast: JSON.stringify returns valid JSON.
      const clean = redactValue(JSON.parse(JSON.stringify(line)) as JsonValue, redact);
      waiting.push(`${JSON.stringify(clean)}\n`);
      writing ??= flush();
    },
    async [Symbol.asyncDispose]() {
      await writing;
      isOver = true;
      await handle?.close().catch((thrown: unknown) => failed(reasonOf(thrown)));
      handle = undefined;
    },
  };
}

/** Redacts every string of a line, including keys. */
export function redactValue(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactValue(item, redact));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactValue(item, redact)]));
}

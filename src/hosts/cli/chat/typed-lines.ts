import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import { appendLinesTo } from "../../../base/files/append-lines.ts";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { makeFolderSync } from "../../../base/files/make-folder.ts";

/** Lines that were typed, kept in a file that only its owner may read. What cannot be read or written is no failure. */
export interface TypedLines {
  /** Newest first. */
  readonly lines: readonly string[];
  add(line: string): void;
}

const most = 1_000;

export async function openTypedLines(path: string): Promise<TypedLines> {
  const kept = readLines(path);
  // A failure leaves the longer file.
  if (kept.length > most * 2) await writeFileAtomic(path, kept.slice(-most).map(lineOf).join(""), { mode: 0o600 });
  return {
    lines: kept.slice(-most).toReversed(),
    add(line) {
      try {
        makeFolderSync(dirname(path), 0o700);
        appendLinesTo(path, lineOf(line));
      } catch {
        // It is not there next time.
      }
    },
  };
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line) => {
        try {
          const read: unknown = JSON.parse(line);
          return typeof read === "string" ? [read] : [];
        } catch {
          return [];
        }
      });
  } catch {
    return [];
  }
}

function lineOf(line: string): string {
  return `${JSON.stringify(line)}\n`;
}

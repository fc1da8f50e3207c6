import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import { appendLinesTo } from "../../base/files/append-lines.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolderSync } from "../../base/files/make-folder.ts";
import { parsedJson } from "../../base/json.ts";

/** Input history in a file that only its owner may read. Read and write errors are ignored. */
interface TypedLines {
  /** Newest first. */
  readonly lines: readonly string[];
  add(line: string): void;
}

const maxLines = 1_000;

export async function openTypedLines(path: string): Promise<TypedLines> {
  const kept = readLines(path);
  // Ignores errors; the longer file is then kept.
  if (kept.length > maxLines * 2)
    await writeFileAtomic(path, kept.slice(-maxLines).map(lineOf).join(""), { mode: 0o600 });
  return {
    lines: kept.slice(-maxLines).toReversed(),
    add(line) {
      try {
        makeFolderSync(dirname(path), 0o700);
        appendLinesTo(path, lineOf(line));
      } catch {
        // The line is missing next time.
      }
    },
  };
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line) => {
        const read = parsedJson(line);
        return typeof read === "string" ? [read] : [];
      });
  } catch {
    return [];
  }
}

function lineOf(line: string): string {
  return `${JSON.stringify(line)}\n`;
}

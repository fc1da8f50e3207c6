import { appendFileSync, readFileSync } from "node:fs";

import { writeFileAtomic } from "../../../base/atomic-file.ts";
import { makeFolderSync } from "../../../base/make-folder.ts";
import { dirname } from "node:path";

/** Lines that were typed, kept in a file that only its owner may read. What cannot be read or written is no failure. */
export interface TypedLines {
  /** Newest first. */
  readonly lines: readonly string[];
  add(line: string): void;
}

const most = 1_000;

export async function openTypedLines(path: string): Promise<TypedLines> {
  const kept = readLines(path);
  if (kept.length > most * 2) await rewrite(path, kept.slice(-most));
  return {
    lines: kept.slice(-most).toReversed(),
    add(line) {
      try {
        makeFolderSync(dirname(path), 0o700);
        appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
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

async function rewrite(path: string, lines: readonly string[]): Promise<void> {
  await writeFileAtomic(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 }).catch(
    () => undefined,
  );
}

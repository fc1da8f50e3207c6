import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { Advisory } from "./advisories.ts";
import type { RunPackage } from "./package-of.ts";

/** The last answers of the OSV database, so that a start of a server rarely needs the network. */
export interface AdvisoryFile {
  /** The advisories of the last answer, however old it is. */
  find(fetched: RunPackage): readonly Advisory[];
  /** Whether the database was queried recently. An unanswered query counts for a few minutes. */
  isFresh(fetched: RunPackage): boolean;
  /** Saves an answer. A fault keeps the earlier advisories. Never rejects: an answer that is lost is queried again. */
  save(fetched: RunPackage, answer: Result<readonly Advisory[], string>, signal: AbortSignal): Promise<void>;
}

interface SavedAnswer {
  readonly checkedAt: number;
  readonly advisories: readonly Advisory[];
  /** True if the last query had no answer. */
  readonly isUnanswered?: boolean;
}

type SavedAnswers = Readonly<Record<string, SavedAnswer>>;

export function openAdvisoryFile(file: string, clock: Clock): AdvisoryFile {
  return {
    find: (fetched) => readAnswers(file)[keyOf(fetched)]?.advisories ?? [],
    isFresh(fetched) {
      const saved = readAnswers(file)[keyOf(fetched)];
      if (!saved) return false;
      const ageMs = clock.now() - saved.checkedAt;
      return ageMs >= 0 && ageMs < (saved.isUnanswered ? unansweredMs : freshMs);
    },
    async save(fetched, answer, signal) {
      const key = keyOf(fetched);
      const write = async (): Promise<void> => {
        const { [key]: before, ...others } = readAnswers(file);
        const saved: SavedAnswer = answer.ok
          ? { checkedAt: clock.now(), advisories: answer.value.slice(0, maxAdvisories) }
          : { checkedAt: clock.now(), advisories: before?.advisories ?? [], isUnanswered: true };
        const packages = Object.fromEntries([...Object.entries(others).slice(1 - maxPackages), [key, saved]]);
        await writeFileAtomic(file, `${JSON.stringify({ version: 1, packages })}\n`, { mode: 0o600 });
      };
      try {
        await makeFolder(dirname(file), 0o700);
        await withFileLock(file, write, { signal, timeoutMs: 2_000, clock });
      } catch {
        // The next start queries again.
      }
    },
  };
}

const freshMs = 24 * 3_600_000;
const unansweredMs = 10 * 60_000;
const maxPackages = 500;
const maxAdvisories = 100;

function keyOf({ ecosystem, name, version = "" }: RunPackage): string {
  return `${ecosystem} ${name} ${version}`;
}

function readAnswers(file: string): SavedAnswers {
  try {
    const { packages } = parsedObject(readFileSync(file, "utf8"));
    return isObject(packages) ? Object.fromEntries(Object.entries(packages).filter(isSavedAnswer)) : {};
  } catch {
    return {};
  }
}

function isSavedAnswer(pair: readonly [string, unknown]): pair is [string, SavedAnswer] {
  const [, saved] = pair;
  return (
    isObject(saved) &&
    typeof saved["checkedAt"] === "number" &&
    Array.isArray(saved["advisories"]) &&
    saved["advisories"].every(
      (each) =>
        isObject(each) &&
        typeof each["id"] === "string" &&
        typeof each["summary"] === "string" &&
        typeof each["isMalware"] === "boolean",
    )
  );
}

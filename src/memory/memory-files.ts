import { constants } from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import type { Clock } from "../base/clock.ts";
import { randomHex } from "../base/digest.ts";
import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { codeOf, describeFault, FileError } from "../base/files/file-fault.ts";
import { withFileLock } from "../base/files/file-lock.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { err, ok, type Result } from "../base/result.ts";
import { oneLine, plural } from "../base/text/text.ts";
import {
  type MemoryAuthor,
  type MemoryChange,
  type MemoryPage,
  type MemoryRecord,
  type MemoryTarget,
  memoryTargets,
} from "../contracts/knowledge/memory.ts";
import { changeNotes, type NoteLimits } from "./change-notes.ts";
import { createMemoryHistory, difference, replayed, revertChange } from "./memory-history.ts";
import { formatMemory, memoryChars, parseMemory } from "./memory-text.ts";

export interface MemoryFilesDeps {
  /** The folder with the notes of one user. The first write creates it. */
  readonly folder: string;
  readonly limits: Readonly<Record<MemoryTarget, NoteLimits>>;
  readonly clock: Clock;
}

export interface Author {
  readonly by: MemoryAuthor;
  readonly session?: string;
}

interface Made {
  readonly page: MemoryPage;
  readonly evicted: readonly string[];
}

/** The files MEMORY.md and USER.md of one user. */
export interface MemoryFiles {
  /** `fault` is set if the file exists but cannot be read. */
  read(target: MemoryTarget): Promise<MemoryPage>;
  change(
    target: MemoryTarget,
    changes: readonly MemoryChange[],
    author: Author,
    signal: AbortSignal,
  ): Promise<Result<Made>>;
  /**
   * Replaces the file with an edited version of the entries that the editor loaded. Keeps changes that others made
   * meanwhile.
   */
  rewrite(
    target: MemoryTarget,
    edited: { readonly seen: readonly string[]; readonly text: string },
    author: Author,
    signal: AbortSignal,
  ): Promise<Result<Made, { readonly message: string }>>;
  /** Restores the entries of files that lost their text, or accepts the loss. Returns the changed files. */
  restore(
    loss: "undo" | "accept",
    author: Author,
    signal: AbortSignal,
  ): Promise<Result<readonly MemoryTarget[], { readonly message: string }>>;
  /** The number of unreadable lines in the history. */
  damagedHistory(): Promise<number>;
  /** The recorded changes, oldest first. */
  history(): Promise<readonly MemoryRecord[]>;
  /** Undoes the last changes that are not undone yet, and returns them. */
  undo(count: number, author: Author, signal: AbortSignal): Promise<Result<readonly MemoryRecord[]>>;
}

export const memoryFileNames: Readonly<Record<MemoryTarget, string>> = { memory: "MEMORY.md", user: "USER.md" };

export function createMemoryFiles({ folder, limits, clock }: MemoryFilesDeps): MemoryFiles {
  const history = createMemoryHistory(join(folder, "history.jsonl"));
  const fileOf = (target: MemoryTarget) => join(folder, memoryFileNames[target]);
  const pageOf = (target: MemoryTarget, entries: readonly string[]): MemoryPage => ({
    entries,
    chars: memoryChars(entries),
    limit: limits[target].chars,
  });

  async function textOf(target: MemoryTarget): Promise<Result<string>> {
    try {
      // Opens the file so that a pipe without a writer does not block.
      await using file = await open(fileOf(target), constants.O_RDONLY | constants.O_NONBLOCK);
      const result = await file.stat();
      if (!result.isFile()) throw new FileError(result.isDirectory() ? "EISDIR" : "EFTYPE");
      return ok(await file.readFile("utf8"));
    } catch (thrown) {
      return codeOf(thrown) === "ENOENT" ? ok("") : err(describeFault(thrown, fileOf(target)));
    }
  }

  /**
   * Returns the entries that the history still has for a file that was emptied, overwritten or truncated inside an
   * entry.
   */
  async function lostEntries(target: MemoryTarget, text: string): Promise<readonly string[] | undefined> {
    const { entries } = parseMemory(text);
    const isBroken = entries.length === 0 || text.includes("\0") || text.includes("\uFFFD");
    // Every write by Hermes ends with a line end, so a missing one means that the file was truncated.
    if (!isBroken && text.endsWith("\n")) return undefined;
    const expected = replayed(await history.read(), target);
    if (expected.length === 0 || formatMemory(expected) === text) return undefined;
    const last = entries.at(-1) ?? "";
    const isCutOff = formatMemory(expected).startsWith(text) && expected[entries.length - 1] !== last;
    return isBroken || isCutOff ? expected : undefined;
  }

  async function lossText(target: MemoryTarget, text: string): Promise<string | undefined> {
    const lost = await lostEntries(target, text);
    if (!lost) return undefined;
    return `${memoryFileNames[target]} lost its text; the history still has ${plural(lost.length, "note")}. \`hermes memory restore\` restores them, \`hermes memory restore --discard\` accepts the loss`;
  }

  /** Reads, changes and writes under a lock. */
  async function locked<T>(signal: AbortSignal, run: () => Promise<Result<T>>): Promise<Result<T>> {
    try {
      await makeFolder(folder, 0o700);
      const done = await withFileLock(join(folder, "memory"), run, { signal, timeoutMs: lockMs, clock });
      return done.ok ? done.value : err({ message: done.error.message });
    } catch (thrown) {
      return err({ message: describeFault(thrown, folder).message });
    }
  }

  async function store(
    target: MemoryTarget,
    {
      text,
      before,
      after,
    }: { readonly text: string; readonly before: readonly string[]; readonly after: readonly string[] },
    about: Omit<MemoryRecord, "id" | "at" | "target" | "removed" | "added">,
  ): Promise<Result<void>> {
    if (isDeepStrictEqual(before, after)) return ok(undefined);
    const changed = difference(before, after);
    // Backs up a file with foreign formatting before it is rewritten in our format.
    if (parseMemory(text).isForeign) await copyFile(fileOf(target), `${fileOf(target)}.bak.${clock.now()}`);
    // Writes the history first: a crash between the two leaves a record of a change that did not happen, but loses
    // nothing. A different order does not count as a change.
    if (changed.removed.length + changed.added.length > 0) {
      history.append({ id: `m_${randomHex(4)}`, at: clock.now(), target, ...about, ...changed });
    }
    const written = await writeFileAtomic(fileOf(target), formatMemory(after), { mode: 0o600 });
    return written.ok ? ok(undefined) : err({ message: written.error.message });
  }

  async function put(
    target: MemoryTarget,
    author: Author,
    signal: AbortSignal,
    next: (
      entries: readonly string[],
    ) => Result<{ readonly entries: readonly string[]; readonly evicted: readonly string[] }, string>,
  ): Promise<Result<Made>> {
    return locked(signal, async () => {
      const text = await textOf(target);
      if (!text.ok) return text;
      const loss = await lossText(target, text.value);
      if (loss !== undefined) return err({ message: loss });
      const { entries } = parseMemory(text.value);
      const changed = next(entries);
      if (!changed.ok) return err({ message: changed.error });
      const { evicted } = changed.value;
      const about = { ...author, ...(evicted.length > 0 && { evicted }) };
      const stored = await store(target, { text: text.value, before: entries, after: changed.value.entries }, about);
      return stored.ok ? ok({ page: pageOf(target, changed.value.entries), evicted }) : stored;
    });
  }

  return {
    async read(target) {
      const text = await textOf(target);
      if (!text.ok) return { ...pageOf(target, []), fault: text.error.message };
      const fault = await lossText(target, text.value);
      return { ...pageOf(target, parseMemory(text.value).entries), ...(fault !== undefined && { fault }) };
    },
    change: (target, changes, author, signal) =>
      put(target, author, signal, (entries) => changeNotes(entries, changes, limits[target])),
    rewrite: (target, { seen, text }, author, signal) =>
      put(target, author, signal, (now) => {
        const entries = merged(parseMemory(text).entries, seen, now);
        const over = memoryChars(entries) - limits[target].chars;
        return over > 0 && memoryChars(entries) >= memoryChars(now)
          ? err(`it is ${over} characters over the limit of ${limits[target].chars}`)
          : ok({ entries, evicted: [] });
      }),
    restore: (loss, author, signal) =>
      locked(signal, async () => {
        const changed: MemoryTarget[] = [];
        for (const target of memoryTargets) {
          const text = await textOf(target);
          if (!text.ok) return text;
          const expected = await lostEntries(target, text.value);
          if (!expected) continue;
          const { entries } = parseMemory(text.value);
          if (loss === "undo") {
            const written = await writeFileAtomic(fileOf(target), formatMemory(expected), { mode: 0o600 });
            if (!written.ok) return err({ message: written.error.message });
          } else {
            const stored = await store(target, { text: text.value, before: expected, after: entries }, author);
            if (!stored.ok) return stored;
          }
          changed.push(target);
        }
        return ok(changed);
      }),
    damagedHistory: history.damagedLines,
    history: history.read,
    undo: (count, author, signal) =>
      locked(signal, async () => {
        const records = await history.read();
        const undone = new Set(records.flatMap(({ undoes }) => undoes ?? []));
        const standing = records.filter(({ id, undoes }) => undoes === undefined && !undone.has(id));
        const used: MemoryRecord[] = [];
        for (const record of standing.toReversed()) {
          if (used.length === count) break;
          const text = await textOf(record.target);
          if (!text.ok) return text;
          const { entries } = parseMemory(text.value);
          const page = { text: text.value, before: entries, after: revertChange(entries, record) };
          // The change was already reverted, or was recorded but never applied.
          if (isDeepStrictEqual(page.before, page.after)) continue;
          const stored = await store(record.target, page, { ...author, undoes: record.id });
          if (!stored.ok) return stored;
          used.push(record);
        }
        return used.length > 0 ? ok(used) : err({ message: "there is no change to undo" });
      }),
  };
}

const lockMs = 30_000;

/** Returns the edited entries, minus those that others removed since `seen`, plus those that others added. */
function merged(edited: readonly string[], seen: readonly string[], now: readonly string[]): readonly string[] {
  const kept = edited.filter((entry) => now.includes(entry) || !seen.includes(entry));
  return [...kept, ...now.filter((entry) => !seen.includes(entry) && !kept.includes(entry))];
}

const titles: Readonly<Record<MemoryTarget, string>> = {
  memory: "Your notes on earlier work",
  user: "Your notes on the person",
};

/** The memory section of the system prompt. Empty if there are no entries. */
export function memoryBlock(target: MemoryTarget, entries: readonly string[], { chars, limit }: MemoryPage): string {
  if (entries.length === 0) return "";
  return `# ${titles[target]} (${fill(chars, limit)})\n\n${entries.map((entry) => `- ${entry.replaceAll("\n", "\n  ")}`).join("\n")}`;
}

/** Example: `45 %, 990 of 2,200 characters`. */
function fill(chars: number, limit: number): string {
  const count = (value: number) => value.toLocaleString("en-US");
  return `${Math.round((chars / limit) * 100)} %, ${count(chars)} of ${count(limit)} characters`;
}

/** Returns the entries that may be part of a prompt, and a notice for each rejected one. */
export async function safeEntries(
  entries: readonly string[],
  judge: (text: string) => Promise<string | undefined>,
): Promise<{ readonly entries: readonly string[]; readonly notices: readonly string[] }> {
  const safe: string[] = [];
  const notices: string[] = [];
  for (const entry of entries) {
    const why = await judge(entry);
    if (why === undefined) safe.push(entry);
    else notices.push(`A memory note was skipped in this session: ${why}. Its text: "${oneLine(entry, 100)}"`);
  }
  return { entries: safe, notices };
}

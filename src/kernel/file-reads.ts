import { ok } from "../base/result.ts";
import type { ExtractedDocument, FileReads, FileVersion, SeenFile, ShownLines } from "../contracts/host/ports.ts";

/**
 * The files that a session has read. When a limit is exceeded, the oldest texts are dropped first, then the oldest
 * hashes.
 */
export function createFileReads(
  { images = () => true, ...page }: Omit<FileReads["page"], "images"> & { readonly images?: () => boolean },
  limits: FileReadLimits = defaultLimits,
): FileReads {
  const files = new Map<string, SeenParts>();
  const turns = new Map<string, Promise<void>>();
  let textChars = 0;
  let lastShown: string | undefined;
  let lastDocument: { readonly hash: string; readonly document: ExtractedDocument } | undefined;
  let extracting: Promise<void> = Promise.resolve();

  function forget(path: string): void {
    textChars -= charsOf(files.get(path));
    files.delete(path);
  }

  function dropOldTexts(): void {
    for (const [path, seen] of files) {
      if (textChars <= limits.textChars) return;
      const chars = charsOf(seen);
      if (chars === 0) continue;
      textChars -= chars;
      const { text: _, older, ...rest } = seen;
      files.set(path, { ...rest, ...(older && { older: withoutText(older) }) });
    }
  }

  function kept(version: FileVersion): FileVersion {
    return (version.text?.length ?? 0) <= limits.textChars / 4 ? version : withoutText(version);
  }

  return {
    page: {
      ...page,
      get images() {
        return images();
      },
    },
    record(path, version, shown) {
      const before = files.get(path);
      forget(path);
      const seen = shown ? seenInPart(kept(version), shown, before) : kept(version);
      const hashes = before ? [...(before.hashes ?? []), before.hash].slice(-maxHashes) : [];
      files.set(path, hashes.length > 0 ? { ...seen, hashes } : seen);
      textChars += charsOf(seen);
      dropOldTexts();
      const [oldest] = files.keys();
      if (files.size > limits.files && oldest !== undefined) forget(oldest);
    },
    seen(path) {
      const match = files.get(path);
      if (!match) return undefined;
      const { parts: _, hashes = [], isRewound = false, ...seen } = match;
      return isRewound ? { ...seen, earlier: hashes } : seen;
    },
    forget,
    repeats(shown) {
      const isRepeat = shown === lastShown;
      lastShown = isRepeat ? undefined : shown;
      return isRepeat;
    },
    forgetShown() {
      lastShown = undefined;
    },
    wentBack() {
      lastShown = undefined;
      for (const [path, seen] of files) files.set(path, { ...seen, isRewound: true });
    },
    async document(hash, extract) {
      const before = extracting;
      const turn = Promise.withResolvers<void>();
      extracting = turn.promise;
      try {
        await before;
        if (lastDocument?.hash === hash) return ok(lastDocument.document);
        const extracted = await extract();
        if (extracted.ok) lastDocument = { hash, document: extracted.value };
        return extracted;
      } finally {
        turn.resolve();
      }
    },
    async inTurn(paths, work) {
      const result = Promise.all(paths.map((path) => turns.get(path) ?? Promise.resolve())).then(work);
      const ended = result.then(nothing, nothing);
      for (const path of paths) turns.set(path, ended);
      try {
        return await result;
      } finally {
        for (const path of paths) if (turns.get(path) === ended) turns.delete(path);
      }
    },
  };
}

/** A session that has seen all parts of a version has seen the whole version. */
function seenInPart(version: FileVersion, shown: ShownLines, before: SeenParts | undefined): SeenParts {
  if (!before) return version;
  const { older, parts = [], hashes: _, isRewound: __, ...last } = before;
  const isSame = last.hash === version.hash;
  if (isSame && !older) return version;
  const all = isSame ? [...parts, shown] : [shown];
  return isWhole(all) ? version : { ...version, older: older ?? last, parts: all.slice(-maxParts) };
}

interface SeenParts extends SeenFile {
  /** Set together with `older`. */
  readonly parts?: readonly ShownLines[];
  /** The versions before this one, oldest first. */
  readonly hashes?: readonly string[];
  readonly isRewound?: boolean;
}

function isWhole(parts: readonly ShownLines[]): boolean {
  let next = 1;
  for (const { first, last } of parts.toSorted((a, b) => a.first - b.first))
    if (first <= next) next = Math.max(next, last + 1);
  return next > (parts[0]?.total ?? 0);
}

function withoutText({ text: _, ...version }: FileVersion): FileVersion {
  return version;
}

function charsOf(seen: SeenFile | undefined): number {
  return (seen?.text?.length ?? 0) + (seen?.older?.text?.length ?? 0);
}

const maxParts = 1_000;
const maxHashes = 20;

export interface FileReadLimits {
  readonly files: number;
  /** The maximum number of characters of all texts together. */
  readonly textChars: number;
}

function nothing(): void {}

const defaultLimits: FileReadLimits = { files: 10_000, textChars: 8_000_000 };

import { ok } from "../base/result.ts";
import type { ExtractedDocument, FileReads, SeenFile } from "../contracts/host/ports.ts";

/** Files that a session has read. Beyond the limits, forgets the oldest ones, their texts before their hashes. */
export function createFileReads(
  { images = () => true, ...page }: Omit<FileReads["page"], "images"> & { readonly images?: () => boolean },
  limits: FileReadLimits = defaultLimits,
): FileReads {
  const files = new Map<string, SeenFile>();
  const turns = new Map<string, Promise<void>>();
  let textChars = 0;
  let lastShown: string | undefined;
  let lastDocument: { readonly hash: string; readonly document: ExtractedDocument } | undefined;
  let extracting: Promise<void> = Promise.resolve();

  function forget(path: string): void {
    textChars -= files.get(path)?.text?.length ?? 0;
    files.delete(path);
  }

  function dropOldTexts(): void {
    for (const [path, { hash, at, text }] of files) {
      if (textChars <= limits.textChars) return;
      if (text === undefined) continue;
      textChars -= text.length;
      files.set(path, { hash, at });
    }
  }

  return {
    page: {
      ...page,
      get images() {
        return images();
      },
    },
    record(path, { hash, at, text }) {
      forget(path);
      const keeps = text !== undefined && text.length <= limits.textChars / 4;
      files.set(path, { hash, at, ...(keeps && { text }) });
      if (keeps) textChars += text.length;
      dropOldTexts();
      const [oldest] = files.keys();
      if (files.size > limits.files && oldest !== undefined) forget(oldest);
    },
    seen: (path) => files.get(path),
    forget,
    repeats(shown) {
      const isRepeat = shown === lastShown;
      lastShown = isRepeat ? undefined : shown;
      return isRepeat;
    },
    forgetShown() {
      lastShown = undefined;
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

export interface FileReadLimits {
  readonly files: number;
  /** Max characters of all texts together. */
  readonly textChars: number;
}

function nothing(): void {}

const defaultLimits: FileReadLimits = { files: 10_000, textChars: 8_000_000 };

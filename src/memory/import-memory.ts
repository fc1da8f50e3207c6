import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { codeOf } from "../base/files/file-fault.ts";
import { type MemoryStore, type MemoryTarget, memoryTargets } from "../contracts/knowledge/memory.ts";
import { memoryFileNames, type MemoryFiles } from "./memory-files.ts";
import { memoryChars, parseMemory } from "./memory-text.ts";

export interface MemoryImport {
  readonly target: MemoryTarget;
  readonly imported: number;
  /** The number of notes that already exist here. */
  readonly known: number;
  /**
   * The notes that were not imported, because they exceed the limit or look like prompt injection. Imported notes never
   * remove existing ones.
   */
  readonly left: readonly { readonly text: string; readonly why: string }[];
}

/** The memory into which notes are imported. */
interface ImportTarget {
  readonly targets: readonly MemoryTarget[];
  readonly files: Pick<MemoryFiles, "read">;
  store(author: { readonly by: "user" }, say: () => void): Pick<MemoryStore, "apply">;
}

/** Adds the notes of another home to those of this user, one by one. */
export async function importMemory(
  from: string,
  memory: ImportTarget,
  { isDryRun, signal }: { readonly isDryRun: boolean; readonly signal: AbortSignal },
): Promise<readonly MemoryImport[]> {
  const created: MemoryImport[] = [];
  const store = memory.store({ by: "user" }, () => {});
  for (const target of memoryTargets.filter((each) => memory.targets.includes(each))) {
    const theirs = parseMemory(await textOf(join(from, memoryFileNames[target]))).entries;
    const page = await memory.files.read(target);
    const ours = [...page.entries];
    let imported = 0;
    const left: { text: string; why: string }[] = [];
    for (const text of theirs.filter((each) => !page.entries.includes(each))) {
      if (memoryChars([...ours, text]) > page.limit) {
        left.push({ text, why: "it does not fit" });
        continue;
      }
      const added = isDryRun ? undefined : await store.apply(target, [{ action: "add", content: text }], signal);
      if (added && !added.ok) {
        left.push({ text, why: added.error.message });
        continue;
      }
      ours.push(text);
      imported++;
    }
    created.push({ target, imported, known: theirs.length - imported - left.length, left });
  }
  return created;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return "";
    throw thrown;
  }
}

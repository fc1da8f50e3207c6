import type { Clock } from "../base/clock.ts";
import { changeIndex, type PluginIndex, readIndex } from "./plugin-index.ts";

type Change = (index: PluginIndex) => PluginIndex;

/** The plugin index in memory, and its unsaved changes. */
export interface KeptIndex {
  readonly now: PluginIndex;
  /** Records the result of a search. Only `save` writes it, because a command that only reads must not write. */
  changeLater(apply: Change): void;
  change(apply: Change): void;
  save(): void;
  /** Resolves when all changes are written. */
  written(): Promise<void>;
}

export function keepIndex(
  file: string,
  { canWrite, clock }: { readonly canWrite: () => boolean; readonly clock: Clock },
): KeptIndex {
  let index = readIndex(file);
  let unsaved: readonly Change[] = [];
  let writing: Promise<void> = Promise.resolve();

  function write(apply: Change): void {
    if (!canWrite()) return;
    // A failed write of the cache is ignored: the next start is only slower.
    writing = writing.then(() =>
      changeIndex(file, apply, { clock, signal: new AbortController().signal }).then(() => undefined),
    );
  }

  const kept: KeptIndex = {
    get now() {
      return index;
    },
    changeLater(apply) {
      index = apply(index);
      unsaved = [...unsaved, apply];
    },
    change(apply) {
      index = apply(index);
      kept.save();
      write(apply);
    },
    save() {
      const changes = unsaved;
      unsaved = [];
      if (changes.length > 0) write((all) => changes.reduce((next, apply) => apply(next), all));
    },
    written: () => writing,
  };
  return kept;
}

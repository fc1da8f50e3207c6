import { posix } from "node:path";

import { once } from "../../../base/async/once.ts";
import { hole } from "./field.ts";
import type { FileContents, SimpleCommand } from "./simple-command.ts";

/** A file that a command writes. */
export interface WrittenFile {
  readonly path: string;
  readonly isAdded: boolean;
  text(): string | undefined;
}

/** Tracks the content of files at each point of a script. Each command keeps the contents at its start. */
export interface WrittenContents {
  current(): FileContents;
  /**
   * Records a write. `isCertain`: the command runs in any case. Otherwise the file may still have its previous content.
   */
  write(file: WrittenFile, cwd: string, isCertain: boolean, writer?: SimpleCommand): void;
  /**
   * Walks the stages of a pipeline. A stage that uses a file may read it before, during or after a write by another
   * stage.
   */
  pipeline(walk: () => void, commands: readonly SimpleCommand[]): void;
  /** Returns whether one of the commands uses a file that another one writes. */
  isShared(commands: readonly SimpleCommand[]): boolean;
  /** Adds the file of a process substitution and returns its name. */
  substituted(text: string | undefined): string;
}

export function createContents(initial: FileContents = new Map()): WrittenContents {
  let current = initial;
  /** True if the file belongs only to the script. */
  let own: Map<string, () => string> | undefined;
  const written: Writing[] = [];
  let depth = 0;
  const contents: WrittenContents = {
    current: () => current,
    pipeline(walk, commands) {
      const [files, ran] = [written.length, commands.length];
      depth += 1;
      walk();
      if (depth <= maxDepth && isShared(written.slice(files), commands.slice(ran))) walk();
      depth -= 1;
    },
    isShared: (commands) => isShared(written, commands),
    substituted(text) {
      const path = `/dev/fd/substituted-${written.length}`;
      contents.write({ path, isAdded: false, text: () => text }, "/", true);
      return path;
    },
    write({ path, isAdded, text }, cwd, isCertain, writer) {
      const whole = posix.normalize(path.startsWith("/") ? path : `${cwd}/${path}`);
      if (whole.includes(hole) || ignored.test(whole)) return;
      written.push({ name: posix.basename(whole), writer });
      const before = isAdded || !isCertain ? current.get(whole) : undefined;
      const isMixed = depth > 0 && current.has(whole);
      const content = once(() => {
        const parts = [before?.() ?? "", isMixed ? hole : (text() ?? hole)];
        return parts.includes(hole) ? hole : parts.join("");
      });
      if (own === undefined || own.has(whole)) own = new Map(current);
      own.set(whole, content);
      current = own;
    },
  };
  return contents;
}

/** The maximum depth. Deeper pipelines are walked once, because each further walk doubles the time. */
const maxDepth = 2;

interface Writing {
  readonly name: string;
  readonly writer: SimpleCommand | undefined;
}

function isShared(written: readonly Writing[], commands: readonly SimpleCommand[]): boolean {
  if (written.length === 0) return false;
  const writers = new Map(written.map(({ name, writer }) => [name, writer]));
  return commands.some((ran) =>
    ran.argv.some(({ text }) => {
      const name = text.slice(text.lastIndexOf("/") + 1);
      return writers.has(name) && writers.get(name) !== ran;
    }),
  );
}

const ignored = /^\/dev\/(?!shm\/|fd\/substituted-)/u;

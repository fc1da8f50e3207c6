import { posix } from "node:path";

import { once } from "../../../base/async/once.ts";
import { hole } from "./field.ts";
import type { FileContents } from "./simple-command.ts";

/** A file that a command writes. */
export interface WrittenFile {
  readonly path: string;
  readonly isAdded: boolean;
  text(): string | undefined;
}

/** The content of files as a script goes on. Commands keep the contents that they started with. */
export interface WrittenContents {
  current(): FileContents;
  /** `isCertain`: the command runs in any case. Otherwise the content before may still be there. */
  write(file: WrittenFile, cwd: string, isCertain: boolean): void;
}

export function createContents(initial: FileContents = new Map()): WrittenContents {
  let current = initial;
  /** Belongs to the script alone. */
  let own: Map<string, () => string> | undefined;
  return {
    current: () => current,
    write({ path, isAdded, text }, cwd, isCertain) {
      const whole = posix.normalize(path.startsWith("/") ? path : `${cwd}/${path}`);
      if (whole.includes(hole) || ignored.test(whole)) return;
      const before = isAdded || !isCertain ? current.get(whole) : undefined;
      const content = once(() => {
        const parts = [before?.() ?? "", text() ?? hole];
        return parts.includes(hole) ? hole : parts.join("");
      });
      if (own === undefined || own.has(whole)) own = new Map(current);
      own.set(whole, content);
      current = own;
    },
  };
}

const ignored = /^\/dev\/(?!shm\/|fd\/substituted-)/u;

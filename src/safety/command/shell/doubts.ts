import type { CommandSpan } from "./field.ts";
import type { WalkDoubt } from "./walk.ts";

/** The parts of a script that cannot be judged. Stores only the first few of them. */
export interface Doubts {
  readonly list: readonly WalkDoubt[];
  /** Adds such a part. `about` is the message of the parser, or the program that receives the code. */
  add(kind: WalkDoubt["kind"], about?: string, span?: CommandSpan): void;
}

export function createDoubts(): Doubts {
  const list: WalkDoubt[] = [];
  return {
    list,
    add(kind, about = "", span) {
      const message = sentences[kind](about);
      if (list.length < maxDoubts) list.push(span ? { kind, message, at: span } : { kind, message });
    },
  };
}

const maxDoubts = 20;

const sentences: Readonly<Record<WalkDoubt["kind"], (about: string) => string>> = {
  unparsable: (about) => `the script cannot be read: ${about}`,
  too_large: () => "the script is too long to be judged",
  too_deep: () => "the script nests too deep to be judged",
  too_many: () => "the script runs too many commands to be judged",
  unknown_code: (about) => `a part of the code for ${about} is not known`,
  unknown_value: (about) => `the shell evaluates a value that is unknown until the command runs: ${about}`,
};

/**
 * Returns whether brackets are nested more deeply, or more here-documents start, than in any real script. Parsing such
 * a text would take too long.
 */
export function isTooNested(text: string): boolean {
  if (text.length < maxOpen) return false;
  let open = 0;
  let documents = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x28 || code === 0x7b) {
      open += 1;
      if (open > maxOpen) return true;
    } else if (code === 0x3c && text.charCodeAt(index + 1) === 0x3c) {
      documents += 1;
      if (documents > maxDocuments) return true;
    } else if ((code === 0x29 || code === 0x7d) && open > 0) open -= 1;
  }
  return false;
}

const maxOpen = 400;
const maxDocuments = 2_000;

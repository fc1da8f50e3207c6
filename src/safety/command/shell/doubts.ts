import type { Span } from "./field.ts";
import type { Doubt } from "./walk.ts";

/** What cannot be judged in a script. A few are enough. */
export interface Doubts {
  readonly list: readonly Doubt[];
  /** `about`: what the parser says, or which program gets the code. */
  add(kind: Doubt["kind"], about?: string, at?: Span): void;
}

export function createDoubts(): Doubts {
  const list: Doubt[] = [];
  return {
    list,
    add(kind, about = "", at) {
      const message = sentences[kind](about);
      if (list.length < most) list.push(at ? { kind, message, at } : { kind, message });
    },
  };
}

const most = 20;

const sentences: Readonly<Record<Doubt["kind"], (about: string) => string>> = {
  unparsable: (about) => `the script cannot be read: ${about}`,
  too_large: () => "the script is too long to be judged",
  too_deep: () => "the script nests too deep to be judged",
  too_many: () => "the script runs too many commands to be judged",
  unknown_code: (about) => `a part of the code for ${about} is not known`,
};

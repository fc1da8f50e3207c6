import type { ParsedScript } from "unbash";

import { expandOne, misreadParts } from "./expand-word.ts";
import type { WalkPosition, WordExpansion } from "./expansion.ts";
import { hole } from "./field.ts";
import { hereText } from "./redirections.ts";
import { unknownInput } from "./simple-command.ts";

/** Operations that expansion needs from the script walker. */
export interface ExpansionHost {
  /** Walks the script of a substitution and returns its output. Undefined if unknown. */
  printed(tree: ParsedScript, source: string, place: WalkPosition): string | undefined;
  /** Returns the name of a file with this content. Undefined if the content is unknown. */
  substituted(text: string | undefined): string;
  isTooMuch(depth: number): boolean;
  doubt(about: string): void;
}

/** Creates the functions that expand words at a position of a script. */
export function createExpansion(source: string, place: WalkPosition, host: ExpansionHost): WordExpansion {
  const scope: WordExpansion = {
    state: place.state,
    output: (tree) => tree && host.printed(tree, source, place)?.replace(/\n+$/u, ""),
    processSubstitution(tree, operator) {
      const text = tree && host.printed(tree, source, operator === ">" ? { ...place, stdin: unknownInput } : place);
      return host.substituted(operator === "<" ? text : undefined);
    },
    inner: (word) => expandOne(word, scope).text,
    again(text) {
      const deeper = { ...place, depth: place.depth + 1, isGiven: false };
      if (misreadParts(text).length > 0) host.doubt(text);
      return host.isTooMuch(deeper.depth) ? hole : expandOne(hereText(text), createExpansion(text, deeper, host)).text;
    },
    hasBraces: () => place.via.findLast((name) => name.endsWith("sh")) !== "sh",
    doubt: host.doubt,
  };
  return scope;
}

/** Reused, because most words of a script are expanded at the position of the previous word. */
export function createExpansions(host: () => ExpansionHost): (source: string, place: WalkPosition) => WordExpansion {
  let last: { readonly source: string; readonly place: WalkPosition; readonly scope: WordExpansion } | undefined;
  return (source, place) => {
    if (last?.place !== place || last.source !== source)
      last = { source, place, scope: createExpansion(source, place, host()) };
    return last.scope;
  };
}

/** A pattern as a tree, for JavaScript's patterns and for one that takes no more than linear time. */
export type PatternNode =
  /** One character. `source`: as JavaScript with the flag `v` writes it. */
  | { readonly kind: "set"; readonly source: string }
  /** No character, but a place: decided by the code points before and after it, -1 at the ends of the text. */
  | { readonly kind: "place"; readonly source: string; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly part: PatternNode;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

export function sourceOf(node: PatternNode): string {
  switch (node.kind) {
    case "set":
    case "place":
      return node.source;
    case "sequence":
      return node.parts.map(sourceOf).join("");
    case "choice":
      return `(?:${node.parts.map(sourceOf).join("|")})`;
    case "repeat": {
      const { least, most } = node;
      return `(?:${sourceOf(node.part)}){${least},${most === Infinity ? "" : most}}${node.isLazy ? "?" : ""}`;
    }
  }
}

/** Is a code point in a set? Each is asked for once. */
export function membership(source: string, ignoreCase: boolean): (code: number) => boolean {
  const pattern = new RegExp(`^${source}$`, ignoreCase ? "iv" : "v");
  const known = new Map<number, boolean>();
  return (code) => {
    let is = known.get(code);
    if (is === undefined) {
      is = code >= 0 && pattern.test(String.fromCodePoint(code));
      known.set(code, is);
    }
    return is;
  };
}

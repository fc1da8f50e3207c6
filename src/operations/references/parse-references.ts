/** A reference in a prompt: `@file:src/a.ts:3-9`, `@diff`, `@url:https://…`. */
export type Reference =
  | { readonly kind: "file"; readonly text: string; readonly path: string; readonly lines?: LineRange }
  /** `@path`: a reference only if there is such a file or folder. */
  | { readonly kind: "path"; readonly text: string; readonly path: string; readonly lines?: LineRange }
  | { readonly kind: "folder"; readonly text: string; readonly path: string }
  | { readonly kind: "diff" | "staged"; readonly text: string }
  | { readonly kind: "git"; readonly text: string; readonly count: string }
  | { readonly kind: "commit"; readonly text: string; readonly commit: string }
  | { readonly kind: "url"; readonly text: string; readonly url: string }
  | { readonly kind: "session"; readonly text: string; readonly session: string };

export interface LineRange {
  readonly first: number;
  readonly last?: number;
}

/** Maximum number of references in one prompt; further ones are ignored. */
const maxReferences = 50;

/** The references of a prompt, without duplicates. References in code blocks and between backticks are plain text. */
export function parseReferences(prompt: string): readonly Reference[] {
  const prose = prompt.replaceAll(code, (block) => " ".repeat(block.length));
  const references = new Map<string, Reference>();
  for (const match of prose.matchAll(starts)) {
    const reference = referenceAt(prose.slice(match.index + match[0].length - 1));
    if (reference && !references.has(reference.text)) references.set(reference.text, reference);
    if (references.size >= maxReferences) break;
  }
  return [...references.values()];
}

const code = /^[ \t]*(?:```|~~~)[\s\S]*?(?:^[ \t]*(?:```|~~~)|$(?![\s\S]))|`[^`\n]+`/gmu;
/** An @ at the start of a word. */
const starts = /(?:^|[\s([{,;])@(?=\S)/gu;

function referenceAt(text: string): Reference | undefined {
  const simple = /^@(?<kind>diff|staged)(?![\w/.:-])/u.exec(text);
  if (simple) return { kind: simple.groups?.["kind"] as "diff" | "staged", text: simple[0] };
  const [, kind = "path", quote = "", quoted, plain = ""] =
    /^@(?:(file|folder|git|commit|url|session):)?(?:(["'])(.*?)\2((?::\d+(?:-\d+)?)?)|(?=\S))/u.exec(text) ?? [];
  const head = `@${kind === "path" ? "" : `${kind}:`}`;
  if (quoted !== undefined) {
    const range = rangeOf(plain);
    return build(kind, `${head}${quote}${quoted}${quote}${plain}`, quoted, range);
  }
  const value = withoutPunctuation(/^\S*/u.exec(text.slice(head.length))?.[0] ?? "");
  if (value === "") return undefined;
  if (kind !== "file" && kind !== "path") return build(kind, head + value, value);
  const [, path = value, range = ""] = /^(.*?)(:\d+(?:-\d+)?)?$/u.exec(value) ?? [];
  return build(kind, head + value, path, rangeOf(range));
}

function build(kind: string, text: string, value: string, lines?: LineRange): Reference | undefined {
  if (value === "" || value.length > 4_096) return undefined;
  switch (kind) {
    case "file":
    case "path":
      return { kind, text, path: value, ...(lines && { lines }) };
    case "folder":
      return { kind, text, path: value };
    case "git":
      return { kind, text, count: value };
    case "commit":
      return { kind, text, commit: value };
    case "url":
      return { kind, text, url: value };
    case "session":
      return { kind, text, session: value };
    default:
      return undefined;
  }
}

/**
 * A sentence may end after a reference. A closing bracket belongs to the reference only if it contains the opening one.
 */
function withoutPunctuation(word: string): string {
  let value = word;
  for (let previous = ""; previous !== value;) {
    previous = value;
    value = value.replace(/(?<![,.;!?:"'»”’])[,.;!?:"'»”’]+$/u, "");
    for (const [open, close] of ["()", "[]", "{}"])
      if (open && close && value.endsWith(close) && !value.includes(open)) value = value.slice(0, -1);
  }
  return value;
}

function rangeOf(text: string): LineRange | undefined {
  const [, first, last] = /^:(\d{1,9})(?:-(\d{1,9}))?$/u.exec(text) ?? [];
  if (first === undefined) return undefined;
  return { first: Math.max(1, Number(first)), last: Math.max(Number(first), Number(last ?? first)) };
}

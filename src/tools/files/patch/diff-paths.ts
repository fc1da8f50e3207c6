import { MalformedPatch, patchedPath } from "./malformed-patch.ts";
import type { PatchLine } from "./unwrap.ts";

/** The two names of a file in a unified diff. Undefined: the file does not exist on that side. */
export interface DiffNames {
  readonly old: string | undefined;
  readonly next: string | undefined;
  readonly line: number;
}

/**
 * Returns the name after `--- ` or `+++ `, without the time or revision that follows it. Undefined if there is no file.
 */
export function nameIn({ text }: PatchLine): string | undefined {
  const rest = text.slice(4);
  const [quoted] = /^"(?:[^"\\]|\\.)*"/u.exec(rest) ?? [];
  if (quoted !== undefined) return unescaped(quoted);
  const [name = "", after = ""] = rest.split("\t", 2);
  const isMissing = /^1970-01-01 0|^\((?:nonexistent|revision 0)\)/u.test(after);
  const path = name.replace(trailer, "").trim();
  return path === "/dev/null" || isMissing ? undefined : path;
}

/** Matches a time or a revision after a name, separated by spaces instead of a tab. */
const trailer =
  /\s+(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d\S*(?: [+-]\d{4})?|\((?:revision \d+|working copy|nonexistent)\))\s*$/u;

/** Returns both names in `diff --git a/X b/Y`. Undefined if spaces make them ambiguous. */
export function namesInGitHeader({ text, number }: PatchLine): DiffNames | undefined {
  const rest = text.slice("diff --git ".length).trim();
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/u.exec(rest);
  if (quoted !== null) return { old: unescaped(quoted[1] ?? ""), next: unescaped(quoted[2] ?? ""), line: number };
  // Names with spaces are recognised if both halves are equal except for their prefixes.
  const half = (rest.length - 1) / 2;
  const [old, next] = [rest.slice(0, half), rest.slice(half + 1)];
  const isSplit = Number.isInteger(half) && rest[half] === " " && withoutPrefix(old) === withoutPrefix(next);
  return isSplit ? { old, next, line: number } : undefined;
}

export function withoutPrefix(name: string): string {
  return name.replace(prefix, "");
}

/** Returns the path after `rename from` and similar lines, which has no prefix. */
export function unquotedName(text: string): string {
  return unescaped(text.trim());
}

/**
 * Returns the file that both names mean. `a/` and `b/` (and the other pairs of git) are prefixes, and so are two
 * different first folders or a backup suffix. For any other pair it is unclear whether it is a rename: a fault.
 */
export function patchedFile({ old, next, line }: DiffNames): string {
  if (old === undefined || next === undefined) return patchedPath(withoutPrefix(next ?? old ?? ""), line);
  if (old === next) return patchedPath(next, line);
  const [plainOld, plainNext] = [withoutPrefix(old), withoutPrefix(next)];
  if (plainOld === plainNext || old === plainNext) return patchedPath(plainNext, line);
  if (plainOld === next || isBackup(old, next)) return patchedPath(next, line);
  if (isBackup(plainOld, plainNext)) return patchedPath(plainNext, line);
  const [, restOld] = /^[^/]+\/(.+)$/u.exec(old) ?? [];
  const [, restNext] = /^[^/]+\/(.+)$/u.exec(next) ?? [];
  if (restOld !== undefined && restOld === restNext) return patchedPath(restNext, line);
  throw new MalformedPatch(
    line,
    `the names ${JSON.stringify(old)} and ${JSON.stringify(next)} differ; for a rename write "rename from" and "rename to", else the same name twice`,
  );
}

function isBackup(old: string, next: string): boolean {
  return [".orig", ".old", ".bak", "~"].some((suffix) => old === next + suffix);
}

/** The prefixes that git writes before paths. */
const prefix = /^[abciow12]\//u;

/** Decodes a name that git has quoted, with octal bytes and C escapes. */
function unescaped(text: string): string {
  if (!/^".*"$/u.test(text)) return text;
  const bytes: number[] = [];
  for (const [match] of text.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]/gsu)) {
    if (/^\\[0-7]{3}$/u.test(match)) bytes.push(Number.parseInt(match.slice(1), 8) & 255);
    else bytes.push(...Buffer.from(match.startsWith("\\") ? (escapes[match[1] ?? ""] ?? match.slice(1)) : match));
  }
  return Buffer.from(bytes).toString();
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", f: "\f", v: "\v" };

import { type Field, hole, isKnown } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";

/**
 * Returns whether these are several files, or one name that stands for several: a pattern, or each file of a search or
 * a loop.
 */
export function areMany(files: readonly Field[], { via }: SimpleCommand): boolean {
  return (
    files.length > 1 ||
    files.some(({ text, isPattern }) => isPattern || /[*?]/u.test(text) || text.includes(hole)) ||
    via.some((name) => /^(?:find|fd|xargs|parallel)$/u.test(name))
  );
}

/** Returns whether a sed script that edits in place leaves (nearly) nothing of a file. `isSilent`: with `-n`. */
export function sedEmpties(scripts: readonly Field[], isSilent: boolean): boolean {
  if (!scripts.every(isKnown)) return false;
  const statements = scripts.flatMap(({ text }) => text.split(/[;\n]/u)).map((text) => text.replaceAll(/[\s{}]/gu, ""));
  if (statements.some((text) => sedDropsAll.test(text))) return true;
  return isSilent && !statements.some((text) => /[pPlw=aicrR]/u.test(text.replaceAll(/\/(?:\\.|[^/\\])*\//gu, "")));
}

/** Matches scripts that delete, empty or replace every line, or all lines but one. */
const sedDropsAll =
  /^(?:[01],\$|\/(?:\^|\$|\.|\.\*|\^\.\*\$?)?\/|[1$]!)?[dD]$|^(?:[01],\$)?(?:z|c(?:\\.*)?)$|^[01]?[qQ]\d*$|^(?:[01],\$)?s(.)\^?\.[*+]\$?\1\1[gIimM0-9]*$/u;

/** Returns whether code that perl or ruby runs for each line prints nothing. `isPrinting`: with `-p`. */
export function linesVanish({ text }: Field, isPrinting: boolean): boolean {
  if (text.includes(hole)) return false;
  if (isPrinting) return lineDrops.test(text);
  return !/\b(?:print|printf|say|puts|putc|write|syswrite|select|eof|exec|system|require|do|p|pp|display)\b|<<|->/u.test(
    text,
  );
}

const lineDrops =
  /(?:^|[;{]|\bBEGIN\b)\s*(?:\$_\s*=\s*(?:""|''|undef|nil|q[({[/][)}\]/])|undef\s*\(?\s*\$_|\$_\.(?:clear|replace\s*\(?\s*(?:""|''))|s([/|!#,])\^?\.[*+](?:\\n|\$)?\1\1\w*|\$_\s*x=\s*0)\s*\)?\s*(?:;|\}|$)/u;

/** Returns whether an awk program prints nothing: it has no `print`, and no pattern without an action. */
export function awkPrintsNothing({ text }: Field): boolean {
  if (text.includes(hole) || /\bprintf?\b|@include|\bsystem\b/u.test(text)) return false;
  let outside = text;
  for (let before = ""; before !== outside;) {
    before = outside;
    outside = before.replaceAll(/\{[^{}]*\}/gu, blockMark);
  }
  const patterns = outside
    .replaceAll(blockMark, `${blockMark}\n`)
    .split(/[;\n]/u)
    .filter((part) => !part.endsWith(blockMark));
  return patterns.every((part) => /^\s*(?:0|""|!1)?\s*$/u.test(part));
}

/** A placeholder for a block of an awk program. */
const blockMark = "\u{10FFFC}";

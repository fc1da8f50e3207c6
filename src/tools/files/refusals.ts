import { basename, dirname } from "node:path";

import type { FileReads } from "../../contracts/ports.ts";
import { fail, type ToolFailure } from "../../contracts/tool.ts";
import type { FileAt } from "./file-at.ts";
import { contentOf, decode } from "./file-content.ts";
import { jsonFault } from "./json-fault.ts";
import { maskedLine } from "./masked-line.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Refuses to change a file that is no longer what this conversation saw of it, with what changed since. */
export function staleRefusal(file: FileAt, reads: FileReads): ToolFailure | undefined {
  const seen = reads.seen(file.path);
  if (seen === undefined || file.kind === "missing" || file.hash === seen.hash) return undefined;
  const isText = seen.text !== undefined && contentOf(file.bytes).kind === "text";
  const diff = isText
    ? unifiedDiff({ name: "as you saw it", text: seen.text }, { name: "as it is now", text: decode(file.bytes) }, 4000)
    : "";
  return fail(
    `${file.path} changed since you last saw it. Nothing was written, so that nothing is lost. ` +
      `Read it again, then make your change.${diff && `\n${diff}`}`,
    "failed",
    diff ? { data: { diff } } : {},
  ).error;
}

/** Refuses a new text that would lose a hidden secret, or JSON that would no longer be JSON. */
export function contentRefusal(path: string, before: string | undefined, after: string): ToolFailure | undefined {
  const masked = maskedLine(before ?? "", after);
  if (masked) {
    return fail(
      `Line ${masked.line} of the new ${path} has *** where the file has a value that was hidden from you. ` +
        "Nothing was written: the value would be lost. Use patch on other lines, and leave that one as it is.",
    ).error;
  }
  if (!isStrictJson(path)) return undefined;
  // What was not JSON before (comments, a template) need not become it.
  if (before?.trim() && jsonFault(plain(before))) return undefined;
  const fault = jsonFault(plain(after));
  return (
    fault &&
    fail(
      `The new ${path} would not be JSON: line ${fault.line}, column ${fault.column}: ${fault.why}. Nothing was written.`,
      "failed",
      { data: { line: fault.line, column: fault.column } },
    ).error
  );
}

/** Some files that end in .json may have comments in them by custom. */
function isStrictJson(path: string): boolean {
  const name = basename(path).toLowerCase();
  if (!/\.(?:json|ipynb)$/u.test(name)) return false;
  const isRelaxed = /^(?:[tj]sconfig.*|devcontainer|\.eslintrc|\.oxlintrc)\.json$/u.test(name);
  return !isRelaxed && basename(dirname(path)) !== ".vscode";
}

function plain(text: string): string {
  return text.replace(/^\ufeff/u, "");
}

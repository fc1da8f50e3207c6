import { oneLine } from "../../../base/text/text.ts";
import type { PatchFault } from "./unwrap.ts";

/** Thrown by the parsers of a patch at a malformed line. */
export class MalformedPatch extends Error {
  readonly fault: PatchFault;
  constructor(line: number, message: string) {
    super(message);
    this.fault = { line, message };
  }
}

/** Returns the path in a line of a patch, without backticks or quotes around it. */
export function patchedPath(text: string, line: number): string {
  const path = text.trim().replace(/^([`"'])(.+)\1$/u, "$2");
  if (path === "") throw new MalformedPatch(line, "the path is missing");
  if (path.length > maxPathChars) throw new MalformedPatch(line, `the path has more than ${maxPathChars} characters`);
  if (/(?:^|\/)\.{0,2}$/u.test(path)) throw new MalformedPatch(line, `${quotedLine(path)} is a folder, not a file`);
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  const hasControls = /[\u0000-\u001f\u007f]/u.test(path);
  if (hasControls) throw new MalformedPatch(line, `${quotedLine(path)}: control characters in a path`);
  return path;
}

export function quotedLine(text: string): string {
  return JSON.stringify(oneLine(text, 80));
}

const maxPathChars = 4096;

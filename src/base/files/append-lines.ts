import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";

/** `fault` explains why the rest of the text was not written. */
export interface AppendResult {
  /** How many bytes of the text are in the file. */
  readonly bytes: number;
  readonly fault?: unknown;
}

/**
 * Appends whole lines to an open file. A full disk may accept only part of a text, so callers must check `fault`.
 * After a truncated line, the text starts on a new line.
 */
export function appendLines(fd: number, text: string): AppendResult {
  const bytes = Buffer.from(endsLine(fd) ? text : `\n${text}`);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (fault) {
    return { bytes: written, fault };
  }
  return { bytes: written };
}

/** Appends to a file that only its owner can read, never through a link. Throws errors of `open`, or the fault. */
export function appendLinesTo(path: string, text: string, { flush = false } = {}): void {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const fd = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  try {
    const { fault } = appendLines(fd, text);
    if (fault !== undefined) throw fault;
    if (flush) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function endsLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 10;
}

import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { codeOf, FileError } from "../../base/files/file-fault.ts";
import { isObject } from "../../base/json.ts";
import type { AuditHead } from "./audit-chain.ts";

/** The paths of the log. The head file is in another folder than the log. */
export interface AuditPlace {
  readonly folder: string;
  readonly headFile: string;
}

/** The path of the file that is currently written. */
export function currentFile({ folder }: AuditPlace): string {
  return join(folder, "audit.jsonl");
}

export function fullFile({ folder }: AuditPlace, number: number): string {
  return join(folder, `audit.${String(number).padStart(6, "0")}.jsonl`);
}

/** The numbers of the files that are full, oldest first. */
export async function fullFiles({ folder }: AuditPlace): Promise<readonly number[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  return names
    .flatMap((name) => {
      const number = /^audit\.(\d{6,})\.jsonl$/u.exec(name)?.[1];
      return number === undefined ? [] : [Number(number)];
    })
    .toSorted((a, b) => a - b);
}

/** Reads the head file. Undefined if there is none. Throws if it exists and cannot be read. */
export function readHead({ headFile }: AuditPlace): AuditHead | undefined {
  let text: string;
  try {
    text = readFileSync(headFile, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const read: unknown = JSON.parse(text);
  const first = isObject(read) ? read["first"] : undefined;
  if (!isObject(read) || !isObject(first)) throw new Error(`${headFile} is damaged`);
  const { seq, hash, bytes, file } = read;
  if (typeof seq !== "number" || typeof hash !== "string" || typeof bytes !== "number" || typeof file !== "number")
    throw new Error(`${headFile} is damaged`);
  return { seq, hash, bytes, file, first: { seq: Number(first["seq"]), prev: String(first["prev"]) } };
}

/** Overwrites the file in place with a fixed length, so that it contains either the old head or the new one. */
export function writeHead({ headFile }: AuditPlace, head: AuditHead): void {
  const text = `${JSON.stringify(head).padEnd(headChars - 1)}\n`;
  let handle: number;
  try {
    handle = openSync(headFile, "r+");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    handle = openSync(headFile, "wx", 0o600);
  }
  try {
    if (writeSync(handle, text, 0) < headChars) throw new FileError("ENOSPC");
  } catch (error) {
    // An existing head keeps its length and needs no disk space. A new, incomplete one would block the log, so it is
    // removed.
    if (fstatSync(handle).size < headChars) rmSync(headFile, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

const headChars = 512;

export function firstLine(file: string): string | undefined {
  try {
    const handle = openSync(file, "r");
    try {
      const buffer = Buffer.alloc(maxLine);
      const text = buffer.toString("utf8", 0, readSync(handle, buffer, 0, maxLine, 0));
      return text.includes("\n") ? text.slice(0, text.indexOf("\n")) : undefined;
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

const maxLine = 65_536;

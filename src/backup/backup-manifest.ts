import { isObject, parsedJson } from "../base/json.ts";

/** The last entry of a backup, which lists everything that the backup must contain. */
export interface BackupManifest {
  readonly format: 1;
  /** The creation time in epoch milliseconds. */
  readonly createdAt: number;
  /** The program version that wrote the backup. */
  readonly version: string;
  readonly profile: string;
  readonly label?: string;
  readonly isQuick: boolean;
  readonly secrets: "encrypted" | "left out" | "none";
  readonly files: readonly BackedUpFile[];
}

export interface BackedUpFile {
  /** The path below the Hermes home, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly sha256: string;
  readonly isDatabase?: boolean;
}

/** Undefined if the text does not describe a backup of this format. */
export function parseBackupManifest(text: string): BackupManifest | undefined {
  let value: unknown;
  try {
    value = parsedJson(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["format"] !== 1 || !Array.isArray(value["files"])) return undefined;
  const { createdAt, version, profile, label, isQuick, secrets, files } = value;
  const isValid =
    typeof createdAt === "number" &&
    typeof version === "string" &&
    typeof profile === "string" &&
    (label === undefined || typeof label === "string") &&
    typeof isQuick === "boolean" &&
    (secrets === "encrypted" || secrets === "left out" || secrets === "none") &&
    files.every(isFile);
  // The cast is safe: every field was checked.
  return isValid ? (value as unknown as BackupManifest) : undefined;
}

function isFile(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value["path"] === "string" &&
    Number.isSafeInteger(value["size"]) &&
    Number.isSafeInteger(value["mode"]) &&
    typeof value["sha256"] === "string"
  );
}

/** Returns why a path of an archive must not be written. */
export function archivePathFault(path: string): string | undefined {
  const parts = path.split("/");
  if (path === "" || path.startsWith("/") || /^[a-z]:/iu.test(path) || path.includes("\\"))
    return "is not a path below the home";
  if (parts.some((part) => part === "" || part === "." || part === "..")) return "leaves its folder";
  // oxlint-disable-next-line no-control-regex -- the pattern detects control characters
  if (/[\u0000-\u001f\u007f]/u.test(path) || !path.isWellFormed()) return "has control characters";
  if (Buffer.byteLength(path) > 2_000 || parts.some((part) => Buffer.byteLength(part) > 255)) return "is too long";
  return undefined;
}

import { rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { replaceEntry } from "../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { makeAndOpenFolder, openFolder, readFileBeneath } from "../base/files/open-beneath.ts";
import { isObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { unifiedDiff } from "../base/text/unified-diff.ts";
import type { SkillEntry } from "../contracts/knowledge/skill.ts";

/** Content of a file, for restoring it. */
export interface SkillFileState {
  readonly text?: string;
  /** Used instead of `text` for binary content. */
  readonly base64?: string;
  readonly isExecutable?: true;
}

/** File contents by path below the skill's folder; null means that the file does not exist. */
export type FileStates = Readonly<Record<string, SkillFileState | null>>;

/** The current content of these files. `folder` is a real path. Throws if one of them is a link or a folder. */
export function readCurrentStates(folder: string, paths: readonly string[]): FileStates {
  return Object.fromEntries(
    paths.map((path) => {
      try {
        const { bytes, mode } = readFileBeneath(join(folder, path));
        return [path, stateOfBytes(bytes, (mode & 0o111) !== 0)];
      } catch (thrown) {
        if (codeOf(thrown) === "ENOENT") return [path, null];
        throw new Error(describeFault(thrown, path).message, { cause: thrown });
      }
    }),
  );
}

export function stateOfBytes(bytes: Uint8Array, isExecutable: boolean): SkillFileState {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  const isText = Buffer.from(text).equals(buffer) && !text.includes("\0");
  return { ...(isText ? { text } : { base64: buffer.toString("base64") }), ...(isExecutable && { isExecutable }) };
}

function bytesOf(state: SkillFileState): Uint8Array {
  return state.base64 === undefined ? Buffer.from(state.text ?? "") : Buffer.from(state.base64, "base64");
}

export function sameState(a: SkillFileState | null | undefined, b: SkillFileState | null | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/**
 * Restores the files to that state, each one atomically, and removes folders that become empty. The folder must be a
 * real path.
 */
export async function writeStates(folder: string, states: FileStates): Promise<Result<void>> {
  for (const [path, state] of Object.entries(states)) {
    const location = join(folder, path);
    try {
      if (state === null) {
        remove(location);
        removeEmpty(dirname(location), dirname(folder));
        continue;
      }
      using parent = makeAndOpenFolder(dirname(location), 0o755);
      await replaceEntry(parent, basename(location), bytesOf(state), state.isExecutable ? 0o755 : 0o644);
    } catch (thrown) {
      return err({ message: describeFault(thrown, location).message });
    }
  }
  return ok(undefined);
}

/** The content of the folder after applying these states. */
export function withStates(entries: readonly SkillEntry[], states: FileStates): readonly SkillEntry[] {
  const others = entries.filter(({ path }) => !Object.hasOwn(states, path));
  const files = Object.entries(states).flatMap(([path, state]): readonly SkillEntry[] =>
    state === null ? [] : [{ kind: "file", path, bytes: bytesOf(state), isExecutable: state.isExecutable ?? false }],
  );
  return [...others, ...files].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export function diffOfStates(before: FileStates, after: FileStates): string {
  return Object.keys(after)
    .toSorted()
    .flatMap((path) => {
      const [old, now] = [before[path] ?? null, after[path] ?? null];
      if (sameState(old, now)) return [];
      if (old?.base64 !== undefined || now?.base64 !== undefined) return [`Binary file ${path} differs`];
      const text = unifiedDiff(
        { name: old === null ? "/dev/null" : `a/${path}`, text: old?.text ?? "" },
        { name: now === null ? "/dev/null" : `b/${path}`, text: now?.text ?? "" },
        20_000,
      );
      return text === "" ? [`${path}: only its permissions change`] : [text];
    })
    .join("\n");
}

/** Parses stored states. Undefined for any other shape. */
export function readStates(value: unknown): FileStates | undefined {
  if (!isObject(value)) return undefined;
  const isState = (state: unknown) =>
    state === null || (isObject(state) && (typeof state["text"] === "string" || typeof state["base64"] === "string"));
  const isFine = Object.entries(value).every(([path, state]) => isState(state) && isInnerPath(path));
  // The cast is safe: every value was checked.
  return isFine ? (value as FileStates) : undefined;
}

/** Whether the path stays inside the folder and has no unusual characters. */
export function isInnerPath(path: string): boolean {
  const parts = path.split("/");
  return (
    path.length <= 300 &&
    path.isWellFormed() &&
    // oxlint-disable-next-line no-control-regex -- detects control characters
    !/[\u0000-\u001f\u007f\\:]/u.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== "..")
  );
}

function remove(path: string): void {
  try {
    using folder = openFolder(dirname(path));
    rmSync(folder.entry(basename(path)), { force: true });
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

function removeEmpty(folder: string, until: string): void {
  try {
    for (let path = folder; path !== until && path !== dirname(path); path = dirname(path)) {
      using parent = openFolder(dirname(path));
      rmdirSync(parent.entry(basename(path)));
    }
  } catch (thrown) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(codeOf(thrown))) throw thrown;
  }
}

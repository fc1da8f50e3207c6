import { lstatSync, readFileSync } from "node:fs";
import { chmod, lstat, readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { isObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { unifiedDiff } from "../base/text/unified-diff.ts";
import type { SkillEntry } from "../contracts/knowledge/skill.ts";

/** Content of a file, for restoring it. */
export interface SkillFileState {
  readonly text?: string;
  /** Instead of `text` for binary content. */
  readonly base64?: string;
  readonly isExecutable?: true;
}

/** By path below the skill's folder; null: there is no such file. */
export type FileStates = Readonly<Record<string, SkillFileState | null>>;

/** The current content of these files. Throws if a link or a folder is in the place of one. */
export function statesNow(folder: string, paths: readonly string[]): FileStates {
  return Object.fromEntries(
    paths.map((path) => {
      assertNoLink(folder, path);
      try {
        const at = join(folder, path);
        const result = lstatSync(at);
        if (!result.isFile()) throw new Error(`${path} is not a file`);
        return [path, stateOfBytes(readFileSync(at), (result.mode & 0o111) !== 0)];
      } catch (thrown) {
        if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return [path, null];
        throw thrown;
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

/** Writes the files in that state, each one atomically, and removes folders that become empty. */
export async function putStates(folder: string, states: FileStates): Promise<Result<void>> {
  for (const [path, state] of Object.entries(states)) {
    const at = join(folder, path);
    try {
      assertNoLink(folder, path);
      if (state === null) {
        await rm(at, { force: true });
        await removeEmpty(dirname(at), dirname(folder));
        continue;
      }
      await makeFolder(dirname(at), 0o755);
      const mode = state.isExecutable ? 0o755 : 0o644;
      const written = await writeFileAtomic(at, bytesOf(state), { mode });
      if (!written.ok) return err({ message: written.error.message });
      await chmod(at, mode);
    } catch (thrown) {
      return err({ message: describeFault(thrown, at).message });
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
  // Every value was checked.
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

/** Throws if a parent is a link, which could lead anywhere. */
function assertNoLink(folder: string, path: string): void {
  const parts = path.split("/");
  for (const end of parts.keys()) {
    const at = join(folder, ...parts.slice(0, end + 1));
    const result = lstatSync(at, { throwIfNoEntry: false });
    if (result?.isSymbolicLink()) throw new Error(`${parts.slice(0, end + 1).join("/")} is a link`);
  }
}

async function removeEmpty(folder: string, until: string): Promise<void> {
  for (let index = folder; index !== until && index !== dirname(index); index = dirname(index)) {
    const result = await lstat(index).catch(() => undefined);
    if (!result?.isDirectory() || (await readdir(index)).length > 0) return;
    await rmdir(index);
  }
}

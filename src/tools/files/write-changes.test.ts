import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";

import fc from "fast-check";

import { err, ok, type Result } from "../../base/result.ts";
import type { FileSystem, FileSystemError } from "../../contracts/environment/environment.ts";
import { type PlannedFileChange, writeChanges } from "./write-changes.ts";

/** Files in memory for which the n-th change fails. A folder exists while it has content or was created. */
function brittleFiles(start: ReadonlyMap<string, string>, failAt: number) {
  const files = new Map(start);
  const folders = new Set(["/", "/w"]);
  let changes = 0;
  const missing = (path: string) => err({ kind: "missing", message: `${path} is not there` } as const);
  const change = (work: () => Result<void, FileSystemError>): Result<void, FileSystemError> =>
    ++changes === failAt ? err({ kind: "no_space", message: "the disk is full" }) : work();
  const makeFolders = (path: string) => {
    for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) folders.add(folder);
  };
  for (const path of files.keys()) makeFolders(path);
  const system: FileSystem = {
    async read(path) {
      const text = files.get(path);
      return text === undefined ? missing(path) : ok(Buffer.from(text));
    },
    write: async (path, bytes) =>
      change(() => {
        makeFolders(path);
        files.set(path, Buffer.from(bytes).toString());
        return ok(undefined);
      }),
    list: async () => ok([]),
    async stat(path) {
      const bytes = files.get(path)?.length ?? 0;
      if (files.has(path)) return ok({ kind: "file", bytes, modifiedAt: 0, changedAt: 0, mode: 0o644 });
      return folders.has(path)
        ? ok({ kind: "folder", bytes, modifiedAt: 0, changedAt: 0, mode: 0o755 })
        : missing(path);
    },
    delete: async (path) => change(() => (files.delete(path) || folders.delete(path) ? ok(undefined) : missing(path))),
    move: async (from, to) =>
      change(() => {
        const text = files.get(from);
        if (text === undefined) return missing(from);
        if (files.has(to)) return err({ kind: "exists", message: to });
        makeFolders(to);
        files.delete(from);
        files.set(to, text);
        return ok(undefined);
      }),
    realPath: async (path) => ok(path),
  };
  return { system, files, folders, changes: () => changes };
}

const names = ["/w/a", "/w/b", "/w/c", "/w/in/a", "/w/in/deep/b", "/w/other/c"];
const contents = fc.option(fc.constantFrom("one", "two", "three"), { nil: undefined });
const trees = fc.tuple(...names.map(() => contents));

/** Returns the changes from one tree to another. `moves` treats pairs of removed and added files as moves. */
function planned(before: readonly (string | undefined)[], after: readonly (string | undefined)[], moves: boolean) {
  const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));
  const removed = names.filter((_, index) => before[index] !== undefined && after[index] === undefined);
  return names.flatMap((path, at): PlannedFileChange[] => {
    if (before[at] === after[at]) return [];
    const source = moves && before[at] === undefined ? removed.pop() : undefined;
    const change = { path, before: bytes(before[at]), after: bytes(after[at]) };
    return [source === undefined ? change : { ...change, movedFrom: source }];
  });
}

function treeOf(texts: readonly (string | undefined)[]): Map<string, string> {
  return new Map(names.flatMap((name, index) => (texts[index] === undefined ? [] : [[name, texts[index]]])));
}

test("if any change fails, no change is made", async () => {
  await fc.assert(
    fc.asyncProperty(trees, trees, fc.boolean(), fc.nat({ max: 14 }), async (before, after, moves, failAt) => {
      const { system, files, folders, changes } = brittleFiles(treeOf(before), failAt);
      const foldersBefore = new Set(folders);
      const done = await writeChanges(planned(before, after, moves), system, new AbortController().signal);
      const isFinal = done.ok || done.error.effect === "done";
      if (failAt === 0 || changes() < failAt) assert.ok(done.ok, JSON.stringify(done));
      if (!isFinal) assert.equal(done.error.effect, "none");
      const left = new Map([...files].filter(([path]) => !path.includes(".hermes-gone-")));
      assert.deepEqual(left, treeOf(isFinal ? after : before));
      if (!isFinal) assert.deepEqual(folders, foldersBefore);
      if (done.ok) assert.equal(files.size, left.size);
    }),
  );
});

test("an interrupt before the first change changes nothing", async () => {
  const { system, files } = brittleFiles(new Map([["/w/a", "one"]]), 0);
  const aborted: FileSystem = {
    ...system,
    write: async () => err({ kind: "aborted", message: "interrupted" }),
  };
  const change = { path: "/w/a", before: Buffer.from("one"), after: Buffer.from("two") };
  const done = await writeChanges([change], aborted, AbortSignal.abort());
  assert.ok(!done.ok && done.error.kind === "aborted" && done.error.effect === "none");
  assert.deepEqual([...files], [["/w/a", "one"]]);
});

test("a file that changed meanwhile is not removed, and no other change is made", async () => {
  const start = new Map([
    ["/w/a", "one"],
    ["/w/b", "theirs"],
  ]);
  const deleted = (path: string) => ({ path, before: Buffer.from("one"), after: undefined });
  const added = { path: "/w/c", before: undefined, after: Buffer.from("new") };
  for (const changes of [
    [added, deleted("/w/b")],
    [added, deleted("/w/a"), deleted("/w/b")],
  ]) {
    const { system, files } = brittleFiles(start, 0);
    const done = await writeChanges(changes, system, new AbortController().signal);
    assert.match(done.ok ? "" : done.error.message, /\/w\/b was changed by somebody else just now/u);
    assert.deepEqual(files, start);
  }
});

import { unifiedDiff } from "../../base/text/unified-diff.ts";
import type { PluginFile } from "./plugin-tree.ts";

/** The difference between two versions of a plugin. */
export interface TreeDiff {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** The changed text files, as a unified diff. */
  readonly text: string;
}

export function diffTrees(before: readonly PluginFile[], after: readonly PluginFile[]): TreeDiff {
  const [old, next] = [before, after].map((files) => new Map(files.map((file) => [file.path, file])));
  const pairs = after.flatMap((file) => {
    const was = old?.get(file.path);
    return was && !isSame(was, file) ? [{ path: file.path, was, file }] : [];
  });
  const texts = pairs.map(({ path, was, file }) => {
    if (isBinary(was) || isBinary(file)) return `Binary file ${path} differs.`;
    return unifiedDiff(
      { name: `a/${path}`, text: textOf(was) },
      { name: `b/${path}`, text: textOf(file) },
      maxFileChars,
    );
  });
  return {
    added: after.flatMap(({ path }) => (old?.has(path) ? [] : [path])),
    changed: pairs.map(({ path }) => path),
    removed: before.flatMap(({ path }) => (next?.has(path) ? [] : [path])),
    text: texts.filter((text) => text !== "").join("\n"),
  };
}

const maxFileChars = 8_000;

function isSame(one: PluginFile, other: PluginFile): boolean {
  return one.isExecutable === other.isExecutable && Buffer.from(one.bytes).equals(other.bytes);
}

function isBinary({ bytes }: PluginFile): boolean {
  return bytes.subarray(0, 65_536).includes(0);
}

function textOf({ bytes }: PluginFile): string {
  return Buffer.from(bytes).toString("utf8");
}

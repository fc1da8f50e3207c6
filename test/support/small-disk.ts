import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { reasonOf } from "../../src/base/result.ts";

/**
 * A real file system of a few kilobytes at a folder, removed at the end of the block. Throws if `cannotMount` gives a
 * reason.
 */
export function smallDisk(path: string, kilobytes: number): SmallDisk {
  mkdirSync(path, { recursive: true });
  const mounted = mount(["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", path]);
  if (mounted !== "") throw new Error(mounted);
  return {
    path,
    makeReadOnly: () => mount(["-o", "remount,ro", path]),
    [Symbol.dispose]: () => void spawnSync("umount", ["-l", path]),
  };
}

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Returns the error, or undefined. */
  makeReadOnly(): string;
}

/** The reason to skip a test that mounts something, or false. */
export function cannotMount(): string | false {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root on Linux can mount a small disk";
  const path = mkdtempSync(join(tmpdir(), "hermes-test-"));
  try {
    using _disk = smallDisk(path, 4);
    return false;
  } catch (thrown) {
    return `mounting a file system is not permitted here: ${reasonOf(thrown)}`;
  } finally {
    rmSync(path, { recursive: true });
  }
}

function mount(args: readonly string[]): string {
  const { status, stderr, error } = spawnSync("mount", args, { encoding: "utf8" });
  return status === 0 ? "" : (error?.message ?? stderr.trim());
}

import type { ChildProcess } from "node:child_process";
import { once as event } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { valueOr } from "../base/result.ts";
import { gateDescriptors, type PlannedMount } from "../contracts/safety/isolation.ts";
import { areMountsInPlace, parseMountTable } from "./mount-table.ts";

/**
 * Waits until a sandbox has created its mounts, verifies them and lets the sandbox continue. Bubblewrap mounts by path,
 * so a program with write access to a parent folder can redirect either side of a mount. False: kill it; no command has
 * run in it.
 */
export async function passGate(
  child: ChildProcess,
  mounts: readonly PlannedMount[],
  /** Also checks the mounted files. `root`: where this process sees the root of the sandbox. */
  isAcceptable: (root: string) => boolean = () => true,
): Promise<boolean> {
  const sockets = child.stdio as unknown as Partial<Record<number, Socket>>;
  const [mounted, release] = [sockets[gateDescriptors.mounted], sockets[gateDescriptors.release]];
  if (!mounted || !release) return false;
  release.on("error", () => {});
  mounted.on("error", () => {}).resume();
  mounted.end();
  const isClosed = await event(mounted, "close", { signal: AbortSignal.timeout(maxSetupMs) }).then(
    () => true,
    () => false,
  );
  // Keeps the other descriptor open until the program is dead, because closing it would let the sandbox continue.
  if (!isClosed || !(await areFilesAcceptable(child.pid, mounts, isAcceptable))) return false;
  release.end("\n");
  return true;
}

/**
 * The sandbox has created its mounts but may still be changing its root, which it does twice; a check at that moment
 * sees neither root. Afterwards the sandbox waits, so only a repeated failure of the check counts.
 */
async function areFilesAcceptable(
  pid: number | undefined,
  mounts: readonly PlannedMount[],
  isAcceptable: (root: string) => boolean,
): Promise<boolean> {
  let refused: string | undefined;
  for (let look = 1; ; look++) {
    const root = rootWith(pid, mounts);
    // A file that vanishes during the check is a refusal.
    if (root !== undefined && valueOr(() => isAcceptable(root), false)) return true;
    if (look === maxLooks || (root !== undefined && root === refused)) return false;
    refused = root;
    await pause(2 ** look);
  }
}

/** Together about a second: on a busy machine, the sandbox may have to wait before it changes its root. */
const maxLooks = 10;

/** Time limit for the setup, which takes a few milliseconds unless a file system does not respond. */
const maxSetupMs = 20_000;

/** The root of the sandbox, if all mounts are in place. */
function rootWith(pid: number | undefined, mounts: readonly PlannedMount[]): string | undefined {
  try {
    // The first process of the sandbox: the only child of the program that was started.
    const inner = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    const read = (owner: string) => parseMountTable(readFileSync(`/proc/${owner}/mountinfo`, "utf8"));
    const [seen, own] = [read(inner), read("self")];
    // The sandbox may not have switched to the new root yet.
    const place = ["", "/newroot"].find((root) => areMountsInPlace(mounts, { seen, root, own }));
    return place === undefined ? undefined : `/proc/${inner}/root${place}`;
  } catch {
    return undefined;
  }
}

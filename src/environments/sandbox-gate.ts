import type { ChildProcess } from "node:child_process";
import { once as event } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

import { gateDescriptors, type PlannedMount } from "../contracts/safety/isolation.ts";
import { areMountsInPlace, parseMountTable } from "./mount-table.ts";

/**
 * Waits until a sandbox has made its mounts, verifies them and lets it continue. Bubblewrap mounts by name, so a program
 * with write access to a folder on the way can lead a mount elsewhere, on both sides. False: kill it, it has run nothing.
 */
export async function passGate(child: ChildProcess, mounts: readonly PlannedMount[]): Promise<boolean> {
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
  // Closing the other one would let it continue as well: it stays open until the program is dead.
  if (!isClosed || !isMounted(child.pid, mounts)) return false;
  release.end("\n");
  return true;
}

/** It takes a few milliseconds; a file system that does not answer could block it. */
const maxSetupMs = 20_000;

function isMounted(pid: number | undefined, mounts: readonly PlannedMount[]): boolean {
  try {
    // The first process of the sandbox: the only child of the program that was started.
    const inner = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    const read = (owner: string) => parseMountTable(readFileSync(`/proc/${owner}/mountinfo`, "utf8"));
    const [seen, own] = [read(inner), read("self")];
    // It may not have made the new root its root yet.
    return ["", "/newroot"].some((root) => areMountsInPlace(mounts, { seen, root, own }));
  } catch {
    return false;
  }
}

import { join } from "node:path";

import type { PlannedMount } from "../contracts/safety/isolation.ts";

/** Maps each path to the mount that is visible there. */
export type MountTable = ReadonlyMap<string, MountedTree>;

interface MountedTree {
  /** Number of the device. */
  readonly device: string;
  /** The folder of the device that is mounted. */
  readonly root: string;
  readonly fileSystem: string;
}

/** Parses the text of `/proc/PID/mountinfo`. */
export function parseMountTable(text: string): MountTable {
  const table = new Map<string, MountedTree>();
  for (const [, device = "", root = "", path = "", fileSystem = ""] of text.matchAll(mountLine))
    table.set(plain(path), { device, root: plain(root), fileSystem });
  return table;
}

/** Fields of a line: two numbers, device, root, path, options, any number of tags, a dash, type. */
const mountLine = /^\d+ \d+ (\S+) (\S+) (\S+) .*? - (\S+)/gmu;

export interface SandboxTables {
  /** The mounts that the sandbox sees, below the folder `root`. */
  readonly seen: MountTable;
  readonly root: string;
  /** Our own mounts. */
  readonly own: MountTable;
}

/** Whether each planned mount is in place and shows the intended files. */
export function areMountsInPlace(mounts: readonly PlannedMount[], { seen, root, own }: SandboxTables): boolean {
  return mounts.every(({ path, from }) => {
    const mount = seen.get(root + path);
    if (mount === undefined) return false;
    if (from === undefined) return mount.fileSystem === "tmpfs" && mount.root === "/";
    const source = treeAt(from, own);
    return mount.device === source?.device && mount.root === source.root;
  });
}

/** The position of a real path on its device. */
function treeAt(path: string, table: MountTable): Pick<MountedTree, "device" | "root"> | undefined {
  for (let end = path.length; end >= 0; end = path.lastIndexOf("/", end - 1)) {
    const mount = table.get(path.slice(0, end) || "/");
    if (mount) return { device: mount.device, root: join(mount.root, path.slice(end)) };
    if (end === 0) return undefined;
  }
  return undefined;
}

/** The system writes spaces, tabs, line ends and backslashes as octal numbers. */
function plain(name: string): string {
  if (!name.includes("\\")) return name;
  return name.replaceAll(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

import type { Clock } from "../base/clock.ts";
import { codeOf } from "../base/files/file-fault.ts";
import type { Logger } from "../base/log/log.ts";
import { createDiskQuota } from "./disk-quota.ts";
import { createLocalFiles } from "./local-files.ts";
import { openRootAccess } from "./root-access.ts";
import type { ScanLimits } from "./scan-local.ts";
import { createWorkspaceCheckpoints, type WorkspaceCheckpoints } from "./workspace-checkpoints.ts";

export interface LocalCheckpointParts {
  /** The folder with the records of all workspaces. */
  readonly folder: string;
  /** The root, as a real path. */
  readonly root: string;
  readonly isProject: boolean;
  /** Real absolute paths that are never recorded. */
  readonly excluded: readonly string[];
  readonly limits: ScanLimits & { readonly totalBytes: number };
  readonly clock: Clock;
  readonly log: Logger;
  readonly say: (sentence: string) => void;
  /** The process that records. Default: this process. */
  readonly pid?: number;
}

/** The checkpoints of a local workspace. Opens and creates nothing until something is recorded. */
export function openLocalCheckpoints(parts: LocalCheckpointParts): WorkspaceCheckpoints {
  const { folder, root, isProject, excluded, limits, clock, log, say } = parts;
  const access = openRootAccess({ folder, backend: "local", root, clock, log, say });
  return createWorkspaceCheckpoints({
    root,
    isProject,
    access,
    files: ({ database, file }) =>
      createLocalFiles({
        root,
        excluded: [...excluded, folder],
        limits,
        database,
        room: createDiskQuota({ database, file, folder, maxBytes: limits.totalBytes, clock }),
        clock,
      }),
    isRunning,
    pid: parts.pid ?? process.pid,
    clock,
  });
}

/** Process ids are reused, so the start time decides for our own id. */
export function isRunning(pid: number, since: number): boolean {
  if (pid === process.pid) return since >= performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}

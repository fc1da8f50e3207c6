import { hostname } from "node:os";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Environment } from "../../contracts/environment/environment.ts";
import { isRunning } from "../local-checkpoints.ts";
import { openRootAccess } from "../root-access.ts";
import type { ScanLimits } from "../scan-local.ts";
import { createWorkspaceCheckpoints, type WorkspaceCheckpoints } from "../workspace-checkpoints.ts";
import { createRemoteFiles } from "./remote-files.ts";
import { createRemoteShell } from "./remote-shell.ts";
import { openScript } from "./scripts.ts";

export interface RemoteWorkspaceDeps {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  readonly say: (sentence: string) => void;
  readonly folder: string;
  readonly limits: ScanLimits & { readonly totalBytes: number };
}

/** The checkpoints of a session's folder on another machine. Undefined if required programs are missing there. */
export async function openRemoteWorkspace(
  { environment, folder, limits, clock, log, say }: RemoteWorkspaceDeps,
  signal: AbortSignal,
): Promise<{ readonly root: string; readonly files: WorkspaceCheckpoints } | undefined> {
  const shell = createRemoteShell(environment);
  const { cwd } = await environment.state(signal);
  const opened = await shell.run(openScript, [cwd], signal);
  if (!opened.ok) throw new Error(opened.error.message);
  const [missing = "", root = "", home = "", machine = ""] = opened.value.map((part) => part.toString());
  if (missing.trim() !== "" || !root.startsWith("/") || !home.startsWith("/")) {
    say(`Checkpoints: nothing is recorded on ${environment.kind}: ${missing.trim() || "a shell"} is missing there.`);
    return undefined;
  }
  const backend = `${environment.kind} ${machine}`;
  const access = openRootAccess({ folder, backend, root, clock, log, say });
  // Only this Hermes home uses the folder, so it may remove unknown packs.
  const store = `${home}/.hermes-checkpoints/${sha256([hostname(), folder, root].join("\n")).slice(0, 16)}`;
  let isFirst = true;
  const files = createWorkspaceCheckpoints({
    root,
    isProject: root !== home && root !== "/" && !home.startsWith(`${root}/`),
    access,
    files: ({ database }) =>
      createRemoteFiles({
        shell,
        root,
        store,
        database,
        limits,
        isFirst() {
          const was = isFirst;
          isFirst = false;
          return was;
        },
      }),
    isRunning,
    pid: process.pid,
    clock,
  });
  return { root, files };
}

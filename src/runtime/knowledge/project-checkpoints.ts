import { type Clock, systemClock } from "../../base/clock.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import { silentLog } from "../../base/log/log.ts";
import {
  eraseCheckpoints,
  storedRoots,
  type StoredRoot,
  tidy,
  type CleanupReport,
} from "../../checkpoints/stored-roots.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { openEnvironment } from "../environment/open-environment.ts";
import { hasOwnContainer, sessionTask } from "../environment/session-containers.ts";
import { checkpointFolder, openCheckpoints, type OpenedCheckpoints } from "./open-checkpoints.ts";

/** The checkpoints of the project that contains a folder, of all sessions or of one. */
function openProjectCheckpoints(
  config: LoadedConfig,
  cwd: string,
  session: string | undefined,
  say: (sentence: string) => void,
): OpenedCheckpoints {
  const clock = systemClock;
  const task = session === undefined ? {} : sessionTask(config, session);
  const commands = openEnvironment(config, { cwd, clock, log: silentLog, say }, task);
  const opened = openCheckpoints(config, {
    ...(session !== undefined && { sessionId: asId<SessionId>(session) }),
    environment: commands.environment,
    place: commands.place,
    workspace: commands.workspace,
    redact: (text) => text,
    clock,
    log: silentLog,
    say,
  });
  return {
    ...opened,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await commands[Symbol.asyncDispose]();
    },
  };
}

/** Operations on the checkpoints of a project and of the home. */
export interface ProjectCheckpoints extends AsyncDisposable {
  /**
   * Opens the checkpoints of one session or of all; if each session has its own container, of the newest session.
   * Closed together with this object.
   */
  open(session?: string): Promise<OpenedCheckpoints>;
  status(): Promise<CheckpointStatus>;
  /** Removes checkpoints older than `days`. Default: from the settings. */
  prune(days: number | undefined, signal: AbortSignal): Promise<CleanupReport>;
}

export function createProjectCheckpoints(
  config: LoadedConfig,
  cwd: string,
  newestSession: () => Promise<string | undefined>,
  say: (sentence: string) => void,
): ProjectCheckpoints {
  const opened = new AsyncDisposableStack();
  return {
    async open(session) {
      const only = session ?? (hasOwnContainer(config) ? await newestSession() : undefined);
      return opened.use(openProjectCheckpoints(config, cwd, only, say));
    },
    status: () => checkpointStatus(config),
    prune: (days, signal) => pruneCheckpoints(config, days, signal),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export interface CheckpointStatus {
  readonly enabled: boolean;
  readonly folder: string;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly retentionDays: number;
  readonly roots: readonly StoredRoot[];
}

async function checkpointStatus(config: LoadedConfig): Promise<CheckpointStatus> {
  const { enabled, max_total_size_mb: totalMb, retention_days: retentionDays } = config.values.checkpoints;
  const folder = checkpointFolder(config);
  const roots = await storedRoots(folder);
  const bytes = roots.reduce((sum, each) => sum + each.bytes, 0);
  return { enabled, folder, bytes, maxBytes: totalMb * 1_000_000, retentionDays, roots };
}

/** Removes checkpoints older than `days`. Default: from the settings. */
function pruneCheckpoints(config: LoadedConfig, days: number | undefined, signal: AbortSignal): Promise<CleanupReport> {
  const retentionMs = (days ?? config.values.checkpoints.retention_days) * 86_400_000;
  return tidy({ folder: checkpointFolder(config), retentionMs, clock: systemClock, signal });
}

/** Erases the checkpoints of a session. Returns their number. */
export function eraseSessionCheckpoints(
  config: LoadedConfig,
  sessions: readonly SessionId[],
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<number> {
  return eraseCheckpoints(checkpointFolder(config), sessions, clock, signal);
}

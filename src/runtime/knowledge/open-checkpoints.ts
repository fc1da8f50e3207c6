import { realpath } from "node:fs/promises";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { BackgroundWork } from "../../checkpoints/background-trail.ts";
import type { WorkspaceCheckpoints } from "../../checkpoints/workspace-checkpoints.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Environment, ProcessHandle } from "../../contracts/environment/environment.ts";
import type { Checkpointer, Checkpoints } from "../../contracts/knowledge/checkpoint.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import type { Workspace } from "../../environments/workspace.ts";

/** Records the calls of a session and restores files. */
export interface OpenedCheckpoints extends AsyncDisposable {
  /** Undefined: checkpoints are off. */
  readonly checkpointer?: Checkpointer;
  readonly checkpoints?: Checkpoints;
  /** The same environment, with its background processes tracked. */
  following(environment: Environment): Environment;
  /** Resolves when the changes of ended calls are recorded; later changes do not count as theirs. */
  settled(): Promise<void>;
}

export interface CheckpointDeps {
  /** Limits recording and restoring to this session. Undefined: all sessions. */
  readonly sessionId?: SessionId;
  readonly environment: Environment;
  /** The start folder of the session. */
  readonly place: Place;
  workspace(): Promise<Workspace>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly say: (sentence: string) => void;
  redact(text: string): string;
}

/**
 * Opens the checkpoints of a session. Code is loaded and files are opened only by the first call that changes a file.
 */
export function openCheckpoints(config: LoadedConfig, deps: CheckpointDeps): OpenedCheckpoints {
  const { enabled } = config.values.checkpoints;
  if (!enabled)
    return { following: (environment) => environment, async settled() {}, async [Symbol.asyncDispose]() {} };
  const { clock, log, say, sessionId } = deps;
  const closing = new AbortController();
  const messages = new Set<string>();
  const ending = new Set<Promise<unknown>>();
  /** Running calls with the processes that they started. */
  const calls = new Set<{ readonly commands: readonly string[]; readonly left: ProcessHandle[] }>();
  let opened: Promise<OpenWorkspace | undefined> | undefined;
  /** If opening fails, the next call tries again. */
  const workspace = (signal: AbortSignal) =>
    (opened ??= openWorkspace(config, deps, signal).catch((thrown: unknown) => {
      opened = undefined;
      throw thrown;
    }));
  const tidied = once(async () => {
    const { tidyDaily } = await import("../../checkpoints/stored-roots.ts");
    const retentionMs = config.values.checkpoints.retention_days * 86_400_000;
    await tidyDaily({ folder: checkpointFolder(config), retentionMs, clock, signal: closing.signal });
  });

  function inBackground(work: Promise<unknown>): void {
    const done = work.catch((thrown: unknown) => log.warn("checkpoint.end_failed", { error: reasonOf(thrown) }));
    ending.add(done);
    void done.finally(() => ending.delete(done));
  }

  /** Reports once per reason that some changes cannot be restored. */
  function tell(notes: readonly string[]): void {
    for (const note of notes) {
      if (messages.has(note) || !/only what was named|found no room|nothing is recorded/u.test(note)) continue;
      messages.add(note);
      say(`Checkpoints: ${note}.`);
    }
  }

  const checkpointer: Checkpointer = {
    async before(call, signal) {
      // A restore records its own changes.
      if (call.tool === "checkpoint") return ok(undefined);
      const { affectedPaths } = await import("../../checkpoints/affected-paths.ts");
      const affected = await affectedPaths(call);
      if (affected.paths.length === 0 && !affected.isWhole) return ok(undefined);
      const open = await workspace(signal);
      if (!open) return ok(undefined);
      const { files } = open;
      const started = await files.begin(call, { ...affected, label: deps.redact(affected.label) }, signal);
      if (!started.ok) return started;
      const record = started.value;
      if (!record) return ok(undefined);
      tell(record.checkpoint.notes);
      const commands = call.effects.flatMap((effect) => (effect.kind === "exec" ? [effect.command] : []));
      const running = { commands, left: [] as ProcessHandle[] };
      calls.add(running);
      return ok({
        ended() {
          calls.delete(running);
          inBackground(files.end(record, running.left.map(workOf), new AbortController().signal).then(tidied));
        },
      });
    },
  };

  const session = sessionId;
  async function within<T>(
    signal: AbortSignal,
    work: (files: WorkspaceCheckpoints) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    try {
      const open = await workspace(signal);
      return open ? await work(open.files) : err({ message: `nothing can be recorded on ${deps.place.backend}` });
    } catch (thrown) {
      return err({ message: reasonOf(thrown) });
    }
  }
  const checkpoints: Checkpoints = {
    root: async (signal) => (await workspace(signal))?.root ?? deps.place.cwd,
    list: (limit, signal) => within(signal, (files) => files.list(limit, session, signal)),
    find: (text, signal) => within(signal, (files) => files.find(text, session, signal)),
    plan: (id, options, signal) => within(signal, (files) => files.plan(id, { ...options, session }, signal)),
    diff: (id, path, signal) =>
      within(signal, (files) => files.diff(id, { session, ...(path !== undefined && { path }) }, signal)),
    restore: (id, options, signal) => within(signal, (files) => files.restore(id, { ...options, session }, signal)),
    mark: (name, signal, label) => within(signal, (files) => files.mark(name, session, signal, label)),
  };
  return {
    checkpointer,
    checkpoints,
    following: (environment) => ({
      ...environment,
      async spawn(command, options, signal) {
        const spawned = await environment.spawn(command, options, signal);
        // Processes started by a call without effects are not tracked.
        const by = Array.from(calls).find(({ commands }) => commands.includes(command));
        if (spawned.ok) by?.left.push(spawned.value);
        return spawned;
      },
    }),
    settled: async () => void (await Promise.all(ending)),
    async [Symbol.asyncDispose]() {
      await Promise.all(ending);
      closing.abort();
      const done = await opened?.catch(() => undefined);
      await done?.files[Symbol.asyncDispose]();
    },
  };
}

/** A process that is no longer reachable counts as ended. */
function workOf(handle: ProcessHandle): BackgroundWork {
  return { isRunning: async (signal) => (await handle.ending(signal).catch(() => "gone")) === undefined };
}

/** The folder with the records of all workspaces of a home. */
export function checkpointFolder({ home }: LoadedConfig): string {
  return join(home.path, homeFiles.fileCheckpoints);
}

interface OpenWorkspace {
  readonly root: string;
  readonly files: WorkspaceCheckpoints;
}

/** Opens the recorder. Undefined: a requirement for recording is missing. */
async function openWorkspace(
  config: LoadedConfig,
  deps: CheckpointDeps,
  signal: AbortSignal,
): Promise<OpenWorkspace | undefined> {
  const { clock, log, say, place } = deps;
  const { max_file_size_mb: fileMb, max_total_size_mb: totalMb } = config.values.checkpoints;
  const totalBytes = totalMb * 1_000_000;
  // A single scan may use only part of the space, so that later changes can be recorded too.
  const limits = { fileBytes: fileMb * 1_000_000, files: maxFiles, bytes: totalBytes / 2, totalBytes };
  const folder = checkpointFolder(config);
  if (place.backend !== "local") {
    const { openRemoteWorkspace } = await import("../../checkpoints/remote/remote-workspace.ts");
    return openRemoteWorkspace({ ...deps, folder, limits }, signal);
  }
  const { root: project } = await deps.workspace();
  const root = project ?? (await realpath(place.cwd).catch(() => place.cwd));
  const excluded = await Promise.all(
    [config.home.path, config.home.root].map((path) => realpath(path).catch(() => path)),
  );
  const { openLocalCheckpoints } = await import("../../checkpoints/local-checkpoints.ts");
  const isProject = project !== undefined;
  return { root, files: openLocalCheckpoints({ folder, root, isProject, excluded, limits, clock, log, say }) };
}

/** A larger folder is not treated as a project; only files that a call names are recorded there. */
const maxFiles = 50_000;

import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../../src/base/clock.ts";
import { systemClock } from "../../src/base/clock.ts";
import { asId } from "../../src/base/ids.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { BackgroundWork } from "../../src/checkpoints/background-trail.ts";
import { type LocalCheckpointParts, openLocalCheckpoints } from "../../src/checkpoints/local-checkpoints.ts";
import type { WorkspaceCheckpoints } from "../../src/checkpoints/workspace-checkpoints.ts";

export interface CheckpointRig extends AsyncDisposable {
  readonly files: WorkspaceCheckpoints;
  readonly root: string;
  readonly store: string;
  readonly said: readonly string[];
  /** Runs `work` as a call and returns its checkpoint, if any. Without `paths`, the call may change anything. */
  call(
    work: () => unknown,
    options?: {
      readonly paths?: readonly string[];
      readonly session?: string;
      readonly label?: string;
      /** Processes that the call leaves running. */
      readonly left?: readonly BackgroundWork[];
    },
  ): Promise<string>;
}

/** The real checkpoints of a folder below `home`, with calls that are functions. */
export async function checkpointRig(
  home: string,
  changes: Partial<Pick<LocalCheckpointParts, "limits" | "isProject" | "pid">> & { readonly clock?: Clock } = {},
): Promise<CheckpointRig> {
  const root = join(home, "project");
  const store = join(home, "file-checkpoints");
  await mkdir(root, { recursive: true });
  const messages: string[] = [];
  const files = openLocalCheckpoints({
    folder: store,
    root: realpathSync(root),
    isProject: true,
    excluded: [],
    limits: { fileBytes: 100_000, files: 5_000, bytes: Infinity, totalBytes: 50_000_000 },
    clock: systemClock,
    log: silentLog,
    say: (sentence) => void messages.push(sentence),
    ...changes,
  });
  return {
    files,
    root,
    store,
    said: messages,
    async call(work, { paths, session = "ses_a", label = "call", left = [] } = {}) {
      const about = {
        callId: asId<never>("call_1"),
        sessionId: asId<never>(session),
        tool: "terminal",
        effects: [],
        place: { cwd: root, backend: "local" },
      };
      const affected = { paths: paths ?? [], isWhole: paths === undefined, label };
      const started = await files.begin(about, affected, never);
      assert.ok(started.ok && started.value, JSON.stringify(started));
      await work();
      const ended = await files.end(started.value, left, never);
      assert.ok(ended.ok, JSON.stringify(ended));
      return started.value.checkpoint.id;
    },
    [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
  };
}

const never = new AbortController().signal;

import { appendFile, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { type TraceStep, traceHead, traceStep } from "./trace-page.ts";

/** A trace that grows on disk: it can be opened while the browser runs, and after a crash. */
export interface TraceFile {
  readonly path: string;
  /** Never rejects: a full disk ends the trace, not the browser. */
  add(step: TraceStep): Promise<void>;
}

export interface TraceLimits {
  readonly maxBytes: number;
  readonly maxSteps: number;
  /** Older traces are removed when a new one begins. */
  readonly maxFiles: number;
}

const defaultTraceLimits: TraceLimits = { maxBytes: 40_000_000, maxSteps: 500, maxFiles: 50 };

export async function openTraceFile(
  folder: string,
  name: string,
  clock: Clock,
  limits: TraceLimits = defaultTraceLimits,
): Promise<Result<TraceFile>> {
  const startedAt = new Date(clock.now()).toISOString();
  const path = join(
    folder,
    `${startedAt.replaceAll(/[:.]/gu, "-")}-${name.replaceAll(/[^\w-]/gu, "_").slice(0, 60)}.html`,
  );
  const head = traceHead(name, startedAt);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOldest(folder, limits.maxFiles - 1);
    await appendFile(path, head, { mode: 0o600, flag: "ax" });
  } catch (thrown) {
    return err({ message: `The trace of the browser cannot be written: ${reasonOf(thrown)}` });
  }
  let bytes = Buffer.byteLength(head);
  let steps = 0;
  let isEnded = false;
  return ok({
    path,
    async add(step) {
      if (isEnded) return;
      const text = traceStep(step, ++steps);
      bytes += Buffer.byteLength(text);
      isEnded = steps > limits.maxSteps || bytes > limits.maxBytes;
      const rest = isEnded ? `<p class="end">The trace is full: later steps are not in it.</p>` : text;
      await appendFile(path, rest).catch(() => {
        isEnded = true;
      });
    },
  });
}

async function removeOldest(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".html"));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const oldest = dated.toSorted((a, b) => b.at - a.at).slice(keep);
  for (const { name } of oldest) await rm(join(folder, name), { force: true });
}

import { Worker } from "node:worker_threads";

import { waitFor } from "../../../base/async/bounded-wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { err, type Result } from "../../../base/result.ts";
import type { ExtractedDocument } from "../../../contracts/host/ports.ts";
import type { DocumentFault } from "./extract-document.ts";

export interface DocumentLimits {
  readonly ms: number;
  /** The memory limit of the extraction thread, not counting the document itself. */
  readonly memoryMb: number;
}

/**
 * Extracts the text of a document in a thread: for any file it takes limited time and memory, cannot crash the program,
 * and stops when the signal is aborted.
 */
export async function documentText(
  bytes: Uint8Array,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
  limits: DocumentLimits = defaultLimits,
): Promise<Result<ExtractedDocument, DocumentFault>> {
  if (signal.aborted) return err(interrupted);
  const { documentThread } = await import("./document-thread.ts");
  const thread = new Worker(start, {
    eval: true,
    // The bytes are copied, so that the thread cannot change the caller's bytes.
    workerData: { module: documentThread.module, bytes },
    env: {},
    execArgv: [],
    // The output of the library is discarded.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
  });
  const work = Promise.withResolvers<Result<ExtractedDocument, DocumentFault>>();
  const failed = (why: string) => work.resolve(err({ what: "a document", why }));
  thread.on("message", work.resolve);
  thread.on("error", (error) =>
    failed(isOutOfMemory(error) ? "its text takes too much memory to extract" : "its text cannot be extracted"),
  );
  thread.on("exit", () => failed("its text cannot be extracted"));
  using _watching = watchMemory(thread, limits.memoryMb, clock, () =>
    failed("its text takes too much memory to extract"),
  );
  try {
    const waited = await waitFor(work.promise, { signal, ms: limits.ms, clock });
    if (waited.how === "done") return waited.value;
    if (waited.how === "aborted") return err(interrupted);
    return err({ what: "a document", why: `its text could not be extracted within ${limits.ms / 1000} seconds` });
  } finally {
    await thread.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** Buffers do not count towards the thread's memory limit, so they are measured from outside. */
function watchMemory(thread: Worker, maxMb: number, clock: Clock, tooBig: () => void): Disposable {
  let isOver = false;
  let timer = clock.after(watchMs, () => void look());

  async function look(): Promise<void> {
    // A thread that is still starting reports no memory use.
    const match = await thread.getHeapStatistics().catch(() => undefined);
    if (isOver) return;
    if (match && (match.used_heap_size + match.external_memory) / 1_000_000 > maxMb) tooBig();
    else timer = clock.after(watchMs, () => void look());
  }

  return {
    [Symbol.dispose]() {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}

const interrupted: DocumentFault = { what: "a document", why: "reading it was interrupted" };
const start = `const { workerData } = process.getBuiltinModule("node:worker_threads");
import(workerData.module).then(({ documentThread }) => documentThread.run());`;
const defaultLimits: DocumentLimits = { ms: 60_000, memoryMb: 600 };
const watchMs = 100;

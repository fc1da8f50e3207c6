import type { Worker } from "node:worker_threads";

import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { err, type Failure, ok, type Result } from "../../base/result.ts";
import { sourceKind } from "./page-kind.ts";
import type { FetchedPage, PageText, ReadDocument } from "./page-text.ts";
import type { PageReply, PageTask } from "./page-thread.ts";
import type { PageQuestion } from "./read-page.ts";

/** Reads pages in a thread, one after the other, so that the event loop stays free. */
export interface PageReader extends AsyncDisposable {
  read(source: FetchedPage, options: ReadRequest): Promise<Result<PageText>>;
  /** Passages of a page that was read before. */
  ask(page: PageText, options: ReadRequest): Promise<Result<PageText>>;
}

export interface ReadRequest extends PageQuestion {
  readonly signal: AbortSignal;
}

export interface ReaderLimits {
  /** The timeout for one page. */
  readonly ms: number;
  /** The memory limit of the thread, not counting the page itself. */
  readonly memoryMb: number;
  readonly bytes: number;
  /** How long an idle thread is kept. */
  readonly idleMs: number;
}

interface ReaderParts {
  readonly clock: Clock;
  readonly readDocument: ReadDocument;
  readonly limits?: Partial<ReaderLimits>;
}

export function createPageReader({ clock, readDocument, limits: given = {} }: ReaderParts): PageReader {
  const limits = { ...defaultLimits, ...given };
  let thread: Promise<Worker> | undefined;
  let idle: Disposable | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** Ends the thread; the next page starts another. */
  async function stop(): Promise<void> {
    idle?.[Symbol.dispose]();
    const ending = thread;
    thread = undefined;
    await (await ending?.catch(() => undefined))?.terminate();
  }

  async function start(): Promise<Worker> {
    const [{ Worker }, { pageThread }] = await Promise.all([import("node:worker_threads"), import("./page-thread.ts")]);
    const worker = new Worker(startText, {
      eval: true,
      workerData: { module: pageThread.module },
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      // A large young generation: most of a page's objects die together.
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 64 },
    });
    worker.unref();
    return worker;
  }

  async function run(task: PageTask, signal: AbortSignal): Promise<Result<PageText>> {
    if (signal.aborted) return err(interrupted);
    idle?.[Symbol.dispose]();
    const worker = await (thread ??= start());
    const reply = Promise.withResolvers<PageReply>();
    const failed = (message: string) => reply.resolve({ failure: message });
    const onError = (error: unknown) => {
      thread = undefined;
      failed(isOutOfMemory(error) ? "it takes too much memory" : "the reader failed");
    };
    const onExit = () => onError(undefined);
    worker.once("message", reply.resolve).once("error", onError).once("exit", onExit);
    // The page's bytes move to the thread; the caller keeps its own.
    if ("source" in task) {
      const bytes = new Uint8Array(task.source.bytes);
      worker.postMessage({ ...task, source: { ...task.source, bytes } } satisfies PageTask, [bytes.buffer]);
    } else worker.postMessage(task);
    const waited = await waitFor(reply.promise, { signal, ms: limits.ms, clock });
    worker.off("message", reply.resolve).off("error", onError).off("exit", onExit);
    if (waited.how !== "done") {
      await stop();
      return waited.how === "aborted"
        ? err(interrupted)
        : unreadable(`it took longer than ${limits.ms / 1000} seconds`);
    }
    return "page" in waited.value ? ok(waited.value.page) : unreadable(waited.value.failure);
  }

  /** Waits for all earlier pages, because a stopped thread loses all of its work. */
  async function inTurn(task: PageTask, signal: AbortSignal): Promise<Result<PageText>> {
    waiting++;
    const turn = last.then(() => run(task, signal));
    last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      waiting--;
      if (waiting === 0) idle = clock.after(limits.idleMs, () => void stop());
    }
  }

  async function fromDocument(source: FetchedPage, { signal, ...question }: ReadRequest): Promise<Result<PageText>> {
    const document = await readDocument(source.bytes, signal);
    if (!document.ok) return document;
    const { text, notes } = document.value;
    const page: PageText = {
      kind: "document",
      markdown: text,
      links: [],
      needsScript: false,
      notes,
      wholeLength: text.length,
    };
    return question.question === undefined ? ok(page) : inTurn({ page, question }, signal);
  }

  return {
    async read(source, options) {
      if (source.bytes.length > limits.bytes)
        return unreadable(`it has more than ${Math.floor(limits.bytes / 1_000_000)} MB`);
      const kind = sourceKind(source.bytes, source.contentType, source.url);
      if (kind === "document") return fromDocument(source, options);
      const { signal, ...question } = options;
      if (kind === "binary") return err({ message: binaryMessage(source.contentType) });
      return inTurn({ source, kind, question }, signal);
    },
    ask: (page, { signal, ...question }) => inTurn({ page, question }, signal),
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

function unreadable(why: string): Result<never> {
  return err({ message: `The page cannot be read: ${why}.` });
}

function binaryMessage(contentType = ""): string {
  const type = contentType.split(";", 1)[0]?.trim() ?? "";
  const name = /^[\w.+-]+\/[\w.+-]+$/u.test(type) ? ` (${type})` : "";
  return `The address has no text but a binary file${name}. Download it to use it.`;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

const interrupted: Failure = { message: "Reading the page was interrupted." };
const startText = `const { workerData } = process.getBuiltinModule("node:worker_threads");
import(workerData.module).then(({ pageThread }) => pageThread.run());`;
const defaultLimits: ReaderLimits = { ms: 20_000, memoryMb: 768, bytes: 64_000_000, idleMs: 15_000 };

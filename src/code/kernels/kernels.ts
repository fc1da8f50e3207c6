import type { CodeKernel, CodeOutcome, CodeRequest, CodeRunLanguage } from "../../contracts/code/code-run.ts";
import { notStartedOutcome } from "../run/run-once.ts";
import { type Kernel, type KernelDeps, startKernel } from "./kernel.ts";

/** The kernels of one session: at most one for each language. They end with the session. */
export interface Kernels extends AsyncDisposable {
  /** Starts the kernel if there is none. Scripts of one kernel run one after another. Never rejects. */
  run(request: CodeRequest): Promise<CodeOutcome>;
  list(): readonly CodeKernel[];
  /** Returns false if there is no such kernel or it is idle. */
  interrupt(id: string): boolean;
  /** Returns false if there is no such kernel. */
  kill(id: string): Promise<boolean>;
}

export function createKernels(deps: KernelDeps): Kernels {
  const running = new Map<CodeRunLanguage, Kernel>();
  const queues = new Map<CodeRunLanguage, Promise<unknown>>();
  /** Variables that are lost, until a result reports it. */
  const losses = new Map<CodeRunLanguage, string>();
  const ends = new Set<Promise<unknown>>();
  let isClosed = false;

  function followEnd(kernel: Kernel): void {
    const { language } = kernel;
    const end = async (): Promise<void> => {
      const lost = await kernel.ended;
      if (running.get(language) === kernel) running.delete(language);
      if (lost !== undefined) losses.set(language, lost);
    };
    const ending = end().finally(() => ends.delete(ending));
    ends.add(ending);
  }

  /** Ends a kernel that is about to be replaced. */
  async function endBefore(kernel: Kernel, reason: string): Promise<void> {
    await kernel.end(reason);
    await Promise.all(ends);
  }

  async function open(request: CodeRequest): Promise<Kernel | string> {
    const { language } = request;
    await running.get(language)?.settled();
    const open = running.get(language);
    if (open && (await open.hidesKeys())) return open;
    if (open) await endBefore(open, "was ended because files with keys changed in the workspace");
    const started = await startKernel(request, deps);
    if (!started.ok) return started.error;
    if (isClosed) {
      await started.value.end("ended with the session");
      return "the session has ended";
    }
    running.set(language, started.value);
    followEnd(started.value);
    return started.value;
  }

  async function run(request: CodeRequest): Promise<CodeOutcome> {
    if (isClosed || request.signal.aborted) return notStartedOutcome("it was interrupted before its start");
    const kernel = await open(request);
    if (typeof kernel === "string") return notStartedOutcome(kernel);
    const before = losses.get(request.language);
    losses.delete(request.language);
    const outcome = await kernel.run(request);
    // A kernel that ended during the script has reported its loss already.
    const isOver = !running.has(request.language);
    const now = isOver ? losses.get(request.language) : undefined;
    if (isOver) losses.delete(request.language);
    const lost = [before, now].filter((sentence) => sentence !== undefined).join(" ");
    return { ...outcome, ...(lost !== "" && { lost }) };
  }

  const byId = (id: string) => [...running.values()].find((kernel) => kernel.describe().id === id);
  return {
    async run(request) {
      const turn = (queues.get(request.language) ?? Promise.resolve()).then(() => run(request));
      queues.set(request.language, turn);
      return turn;
    },
    list: () => [...running.values()].map((kernel) => kernel.describe()),
    interrupt: (id) => byId(id)?.interrupt() ?? false,
    async kill(id) {
      const kernel = byId(id);
      await kernel?.end("was ended on request");
      return kernel !== undefined;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all([...running.values()].map((kernel) => kernel.end("ended with the session")));
      await Promise.all(ends);
    },
  };
}

import { waitFor } from "../../base/async/bounded-wait.ts";
import { once } from "../../base/async/once.ts";
import { type CodeRunner, type CodeRunLanguage } from "../../contracts/code/code-run.ts";
import type { ChildPrograms } from "../child/child-programs.ts";
import { createKernels } from "../kernels/kernels.ts";
import { runOnce, type ScriptDeps } from "./run-once.ts";

export interface CodeRunnerDeps extends Omit<ScriptDeps, "afterwards"> {
  /** The maximum time of a kernel without a script. */
  readonly idleMs: number;
  /** Closed with the runner. */
  readonly programs: ChildPrograms;
  /** The languages that have an interpreter here, the preferred one first. */
  readonly languages: () => Promise<readonly CodeRunLanguage[]>;
  readonly unconfined: () => Promise<string | undefined>;
}

/** Runs the scripts of one session. Disposing waits until the processes of interrupted scripts have ended. */
export function createCodeRunner(deps: CodeRunnerDeps): CodeRunner & AsyncDisposable {
  const later = new Set<Promise<unknown>>();
  const afterwards = (work: Promise<unknown>) => {
    const ended = work.finally(() => later.delete(ended)).catch(() => {});
    later.add(ended);
  };
  const kernels = createKernels(deps);
  return {
    languages: once(deps.languages),
    unconfined: once(deps.unconfined),
    async run(request) {
      if (request.isKernel) return kernels.run(request);
      return runOnce(request, { ...deps, afterwards });
    },
    kernels: kernels.list,
    interrupt: kernels.interrupt,
    kill: kernels.kill,
    async [Symbol.asyncDispose]() {
      await kernels[Symbol.asyncDispose]();
      await deps.programs[Symbol.asyncDispose]();
      await waitFor(Promise.allSettled(later), { ms: closeMs, clock: deps.clock });
    },
  };
}

const closeMs = 10_000;

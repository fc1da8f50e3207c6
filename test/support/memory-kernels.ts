import type { CodeKernel, CodeRunner } from "../../src/contracts/code/code-run.ts";

export interface MemoryKernels {
  readonly code: CodeRunner;
  readonly kernels: CodeKernel[];
  readonly interrupted: string[];
}

/** Kernels without processes, for tests of tools that show them. */
export function memoryKernels(): MemoryKernels {
  const kernels: CodeKernel[] = [];
  const interrupted: string[] = [];
  const code: CodeRunner = {
    languages: async () => ["python"],
    unconfined: async () => undefined,
    run: () => Promise.reject(new Error("no script runs here")),
    kernels: () => [...kernels],
    interrupt(id) {
      const isBusy = kernels.some((kernel) => kernel.id === id && kernel.isBusy);
      if (isBusy) interrupted.push(id);
      return isBusy;
    },
    async kill(id) {
      const index = kernels.findIndex((kernel) => kernel.id === id);
      return index !== -1 && kernels.splice(index, 1).length === 1;
    },
  };
  return { code, kernels, interrupted };
}

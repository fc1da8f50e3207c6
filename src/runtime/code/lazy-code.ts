import { once } from "../../base/async/once.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { CodeRunner } from "../../contracts/code/code-run.ts";
import type { CodeDeps } from "./open-code.ts";

/** Runs the scripts of one session. The code is loaded with the first script. */
export function lazyCode(config: LoadedConfig, deps: CodeDeps): CodeRunner & AsyncDisposable {
  let opened: (CodeRunner & AsyncDisposable) | undefined;
  const open = once(async () => {
    const { openCode } = await import("./open-code.ts");
    return (opened = openCode(config, deps));
  });
  return {
    languages: async () => (await open()).languages(),
    unconfined: async () => (await open()).unconfined(),
    run: async (request) => (await open()).run(request),
    kernels: () => opened?.kernels() ?? [],
    interrupt: (kernel) => opened?.interrupt(kernel) ?? false,
    kill: async (kernel) => opened?.kill(kernel) ?? false,
    async [Symbol.asyncDispose]() {
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

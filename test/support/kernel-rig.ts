import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { userName } from "../../src/base/this-user.ts";
import { loadConfig } from "../../src/config/load.ts";
import type {
  CodeKernel,
  CodeOutcome,
  CodeRequest,
  CodeRunLanguage,
  CodeRunner,
} from "../../src/contracts/code/code-run.ts";
import { json } from "../../src/contracts/tool/tool-result.ts";
import { openCode } from "../../src/runtime/code/open-code.ts";
import { tempHome } from "./temp-home.ts";

export interface KernelRig extends AsyncDisposable {
  readonly code: CodeRunner;
  readonly cwd: string;
  run(language: CodeRunLanguage, code: string, more?: Partial<CodeRequest>): Promise<CodeOutcome>;
  /** The only kernel of the session. */
  kernel(): CodeKernel;
}

/**
 * Runs the scripts of one session as the program does, with a tool `echo` that returns its arguments. `searchPath`
 * lists the folders of programs, including the sandbox.
 */
export async function kernelRig(
  settings: JsonObject = {},
  searchPath: string | undefined = process.env["PATH"],
): Promise<KernelRig> {
  const folder = await tempHome();
  const [cwd, home] = [join(folder.path, "work"), join(folder.path, "home")];
  await mkdir(cwd);
  await mkdir(home);
  await writeFile(join(home, "config.yaml"), JSON.stringify({ code_execution: settings }));
  const env = { PATH: searchPath, HOME: folder.path, HERMES_HOME: home };
  const config = await loadConfig({ env, cwd, user: userName() });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const code = openCode(config.value, { workspace: async () => cwd, clock: systemClock, log: silentLog });
  return {
    code,
    cwd,
    run: (language, text, more = {}) =>
      code.run({
        code: text,
        language,
        isKernel: true,
        tools: [
          {
            name: "echo",
            description: "Returns its arguments.",
            inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
          },
        ],
        isExcluded: () => false,
        cwd,
        call: async (_name, args) => json(args),
        waitedMs: () => 0,
        signal: new AbortController().signal,
        progress() {},
        printed() {},
        ...more,
      }),
    kernel() {
      const [kernel, ...others] = code.kernels();
      if (!kernel || others.length > 0) throw new Error(`${others.length + (kernel ? 1 : 0)} kernels`);
      return kernel;
    },
    async [Symbol.asyncDispose]() {
      await code[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

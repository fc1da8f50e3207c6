import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err } from "../../base/result.ts";
import { createChildPrograms } from "../../code/child/child-programs.ts";
import { createCodeRunner } from "../../code/run/code-runner.ts";
import { outputBytes } from "../../code/run/script-output.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { CodeRunner } from "../../contracts/code/code-run.ts";
import { captureOutput, defaultOutputLimits } from "../../environments/output/captured-output.ts";
import { createSpillFolder, defaultSpillLimits } from "../../environments/output/spill-folder.ts";
import { findSandbox } from "../environment/find-sandbox.ts";
import { findInterpreters } from "./find-interpreters.ts";
import { scriptStarter } from "./start-script.ts";

export interface CodeDeps {
  /** The project folder of the session, if its commands run on this machine. */
  readonly workspace: () => Promise<string | undefined>;
  /** Variables that were granted to skills of the session. The list may grow. */
  readonly variables?: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs the scripts of one session. */
export function openCode(
  config: LoadedConfig,
  { workspace, variables, clock, log }: CodeDeps,
): CodeRunner & AsyncDisposable {
  const { code_execution, tools } = config.values;
  const sandbox = once(async () => {
    const best = await findSandbox(config, await workspace(), true);
    if (!best.ok || best.value.kind !== "landlock") return best;
    // Landlock is not used, because it cannot restrict which local sockets a program reaches, and scripts need one
    // socket.
    const { why = "", hint = "" } = best.value.weaker ?? {};
    return err({ message: `scripts cannot be confined ${why}`, isCertain: true, hint });
  });
  const interpreters = findInterpreters(config, { clock, workspace });
  const folder = createSpillFolder(join(config.home.path, homeFiles.outputs), defaultSpillLimits, clock);
  const limits = { ...defaultOutputLimits, headBytes: outputBytes.head, tailBytes: outputBytes.tail };
  const outerMs = tools.timeout_s > 0 ? tools.timeout_s * 1000 : Infinity;
  return createCodeRunner({
    start: scriptStarter(config, { interpreters, workspace, sandbox, clock, ...(variables && { variables }) }),
    capture: (onReady) => captureOutput(folder, limits, onReady),
    programs: createChildPrograms({ clock }),
    limits: {
      // The time limit of a script is shorter than that of the call, because ending the script takes time too.
      timeoutMs: Math.min(code_execution.timeout * 1000, Math.max(outerMs - endingMs, outerMs / 2)),
      callMs: 300_000,
      maxCalls: code_execution.max_tool_calls,
    },
    idleMs: code_execution.kernel_idle_s * 1000,
    languages: interpreters.languages,
    async unconfined() {
      const best = await sandbox();
      return best.ok ? undefined : best.error.message;
    },
    clock,
    log,
  });
}

const endingMs = 8_000;

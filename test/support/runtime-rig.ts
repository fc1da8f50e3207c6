import { join } from "node:path";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { userName } from "../../src/base/this-user.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { ModelClient, ModelSource } from "../../src/contracts/model/model.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { builtins } from "../../src/runtime/builtins.ts";
import type { Contribution } from "../../src/runtime/contributions.ts";
import { createRuntime, type OpenedRuntime } from "../../src/runtime/create-runtime.ts";
import type { SessionModelDeps } from "../../src/runtime/session/services/open-session-model.ts";

export interface RuntimeRigOptions {
  /** The folder of the home and, unless `cwd` is given, of the project below it. */
  readonly folder: string;
  readonly cwd?: string;
  /** Default: `.hermes` in the folder. */
  readonly home?: string;
  readonly model: ModelClient | ModelSource;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly sessionModel?: Partial<SessionModelDeps>;
  readonly clock?: Clock;
  /** Default: the built-in parts. */
  readonly contributions?: readonly Contribution[];
  readonly say?: (sentence: string) => void;
}

/**
 * The whole runtime with its real tools, store and policy; only the model comes from the caller. Nobody answers
 * questions.
 */
export async function runtimeRig(options: RuntimeRigOptions): Promise<OpenedRuntime> {
  const { folder, model, settings = {}, sessionModel = {}, clock = systemClock } = options;
  const cwd = options.cwd ?? folder;
  const env = { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: options.home ?? join(folder, ".hermes") };
  const config = await loadConfig({
    env,
    cwd,
    user: userName(),
    overrides: { "isolation.mode": "off", "auxiliary.title_generation.enabled": false, ...settings },
  });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const source: ModelSource = "open" in model ? model : { open: async () => ok(model) };
  const { signal } = new AbortController();
  const { contributions = builtins(config.value, { cwd, signal, clock }) } = options;
  return createRuntime(config.value, contributions, {
    cwd,
    principal: localPrincipal(),
    signal,
    clock,
    models: source,
    sessionModel,
    ...(options.say && { say: options.say }),
  });
}

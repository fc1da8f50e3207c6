import { systemClock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ModelSource } from "../../contracts/model/model.ts";
import type { Runtime } from "../../contracts/session/runtime.ts";
import { openModels } from "../models/models.ts";
import { createRuntime, type RuntimeOptions } from "./create-runtime.ts";
import { makeMind } from "./mind.ts";
import { sessionTaps } from "./session-taps.ts";

export interface OpenRuntimeOptions extends RuntimeOptions {
  /** In place of the models that the settings name. */
  readonly models?: ModelSource;
}

/** The whole runtime as the settings say: models, mind, tools, policy and store. */
export async function openRuntime(config: LoadedConfig, options: OpenRuntimeOptions): Promise<Runtime> {
  const { clock = systemClock, say = () => {} } = options;
  const tap = sessionTaps(config, { cwd: options.cwd, clock, say });
  return createRuntime(config, options, ({ log }) => {
    if (options.models) return { models: options.models, mind: makeMind(config, { clock }), tap };
    const models = openModels(config, { cwd: options.cwd, clock, log, say });
    const mind = makeMind(config, { clock, auxiliary: models.auxiliary });
    return { models, mind, tap, refresh: models.refreshStale, close: () => models[Symbol.asyncDispose]() };
  });
}

import { join } from "node:path";

import type { Result } from "../../base/result.ts";
import { type Home, homeFiles } from "../../config/home.ts";
import { type LoadInput, loadConfig, type LoadedConfig } from "../../config/load.ts";
import { processEnvironment } from "../../config/process-env.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import { configOutcome } from "./config-fault.ts";

/** The settings of one home, as a host passes them to a runtime. */
export type Settings = LoadedConfig;
export type SettingsInput = LoadInput;

/** The one place where hosts load the configuration. */
export async function loadSettings(input: SettingsInput): Promise<Result<Settings, OperationFault>> {
  return configOutcome(await loadConfig(input));
}

export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return processEnvironment();
}

/** Settings that switch a protection off, one sentence each. */
export function weaknesses({ values }: Settings): readonly string[] {
  return weakSettings(values);
}

/** A file or folder of the home by its purpose. */
export function pathInHome({ path }: Home, purpose: keyof typeof homeFiles): string {
  return join(path, homeFiles[purpose]);
}

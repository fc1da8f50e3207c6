import { existsSync } from "node:fs";
import { join } from "node:path";

import { ok, type Result } from "../../base/result.ts";
import { type Home, homeFiles, resolveHome } from "../../config/home.ts";
import { type LoadInput, loadConfig, type LoadedConfig } from "../../config/load.ts";
import { processEnvironment } from "../../config/process-env.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import { configOutcome } from "./config-fault.ts";

/** The settings of one home, which a host passes to a runtime. */
export type Settings = LoadedConfig;
export type SettingsInput = LoadInput;

/** The only place where hosts load the configuration. */
export async function loadSettings(input: SettingsInput): Promise<Result<Settings, OperationFault>> {
  const loaded = configOutcome(await loadConfig(input));
  // Completes a killed restore first, because settings may be missing until then.
  const place = loaded.ok ? ok(loaded.value.home) : await resolveHome(input.env, input.cwd, input.profile);
  if (!place.ok) return loaded;
  const homes = [place.value.root, place.value.path].filter((path) => existsSync(join(path, "restore-plan.json")));
  if (homes.length === 0) return loaded;
  const { finishRestore } = await import("../../backup/restore-home.ts");
  for (const path of homes) await finishRestore(path);
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

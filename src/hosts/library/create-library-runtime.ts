import { userName } from "../../base/this-user.ts";
import type { ModelSource } from "../../contracts/model/model.ts";
import type { ContextEngineContribution } from "../../contracts/plugin/plugin.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Runtime } from "../../contracts/session/runtime.ts";
import { loadSettings, readEnvironment, type Settings } from "../../operations/settings/load-settings.ts";
import { builtins } from "../../runtime/builtins.ts";
import { createRuntime as assembleRuntime } from "../../runtime/create-runtime.ts";
import { localPrincipal } from "../local-principal.ts";

export interface LibraryOptions {
  /** Working folder. Default: the folder of this process. */
  readonly cwd?: string;
  /** Folder of settings, keys and sessions. Default: `HERMES_HOME`, or `.hermes` in the user's home folder. */
  readonly home?: string;
  readonly profile?: string;
  /** Owner of the sessions, unless a session names another principal. Default: the user of this process. */
  readonly principal?: Principal;
  /** Overrides all configuration files: `{ "approvals.mode": "readonly" }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Replaces the configuration files. */
  readonly config?: Settings;
  /** Replaces the models of the settings. */
  readonly models?: ModelSource;
  /** Replaces the context engine of the settings: it keeps sessions within the window of their model. */
  readonly contextEngine?: ContextEngineContribution;
  /** Cancels opening the runtime. */
  readonly signal?: AbortSignal;
  /** Receives messages for the user: skipped files, processes killed on exit. */
  readonly say?: (sentence: string) => void;
}

/** Opens Hermes in your own program. Rejects with all problems if the configuration is invalid. */
export async function createLibraryRuntime(options: LibraryOptions = {}): Promise<Runtime> {
  const { cwd = process.cwd(), signal = new AbortController().signal, models, say, contextEngine } = options;
  const { principal = localPrincipal() } = options;
  const config = options.config ?? (await load(options, cwd));
  return assembleRuntime(config, builtins(config, { cwd, signal }), {
    cwd,
    principal,
    signal,
    ...(models && { models }),
    ...(say && { say }),
    ...(contextEngine && { sessionModel: { engine: contextEngine } }),
  });
}

async function load({ home, profile, settings, env }: LibraryOptions, cwd: string): Promise<Settings> {
  const loaded = await loadSettings({
    env: { ...(env ?? readEnvironment()), ...(home !== undefined && { HERMES_HOME: home }) },
    cwd,
    user: userName(),
    profile,
    ...(settings && { overrides: settings }),
  });
  if (loaded.ok) return loaded.value;
  throw new Error(loaded.error.message);
}

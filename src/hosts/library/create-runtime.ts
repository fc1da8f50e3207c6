import { userName } from "../../base/this-user.ts";
import type { ModelSource } from "../../contracts/model/model.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Runtime } from "../../contracts/session/runtime.ts";
import { loadSettings, readEnvironment, type Settings } from "../../operations/settings/load-settings.ts";
import { builtins } from "../../runtime/builtins.ts";
import { createRuntime as assembleRuntime } from "../../runtime/create-runtime.ts";
import { localPrincipal } from "../local-principal.ts";

export interface LibraryOptions {
  /** Where the work is. Left out: the folder of this process. */
  readonly cwd?: string;
  /** Settings, keys and sessions are there. Left out: `HERMES_HOME`, or `.hermes` in the user's folder. */
  readonly home?: string;
  readonly profile?: string;
  /** Whose sessions are opened, unless a session names another. Default: whoever runs this process. */
  readonly principal?: Principal;
  /** Over everything that files say: `{ "approvals.mode": "readonly" }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Left out: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** In place of reading the configuration. */
  readonly config?: Settings;
  /** In place of the models that the settings name. */
  readonly models?: ModelSource;
  /** Ends what is being opened. */
  readonly signal?: AbortSignal;
  /** Sentences for a person: files that were left out, processes that are ended on leaving. */
  readonly say?: (sentence: string) => void;
}

/** Hermes in your own program. Rejects when the configuration cannot be used, with everything that is wrong. */
export async function createRuntime(options: LibraryOptions = {}): Promise<Runtime> {
  const { cwd = process.cwd(), signal = new AbortController().signal, models, say } = options;
  const { principal = localPrincipal() } = options;
  const config = options.config ?? (await load(options, cwd));
  return assembleRuntime(config, builtins(config, { cwd, signal }), {
    cwd,
    principal,
    signal,
    ...(models && { models }),
    ...(say && { say }),
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

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { userName } from "../../src/base/this-user.ts";
import { type LoadedConfig, loadConfig } from "../../src/config/load.ts";
import type { Runtime } from "../../src/contracts/session/runtime.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { builtins } from "../../src/runtime/builtins.ts";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import { tempHome } from "./temp-home.ts";

export interface SettingsRuntime extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly config: LoadedConfig;
  readonly home: string;
  readonly cwd: string;
}

/** The whole runtime as the program opens it, with these settings, in a separate home. It does not retry. */
export async function settingsRuntime(
  settings: Readonly<Record<string, unknown>>,
  prepare: (home: string) => Promise<void> = async () => {},
): Promise<SettingsRuntime> {
  const folder = await tempHome();
  const cwd = join(folder.path, "work");
  const home = join(folder.path, "home");
  await mkdir(cwd);
  await mkdir(home);
  const all = { isolation: { mode: "off" }, agent: { api_max_retries: 0 }, ...settings };
  await writeFile(join(home, "config.yaml"), JSON.stringify(all));
  await prepare(home);
  const env = { PATH: process.env["PATH"], HOME: folder.path, HERMES_HOME: home };
  const config = await loadConfig({ env, cwd, user: userName() });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const { signal } = new AbortController();
  const runtime = await createRuntime(config.value, builtins(config.value, { cwd, signal }), {
    cwd,
    principal: localPrincipal(),
    signal,
  });
  return {
    runtime,
    config: config.value,
    home,
    cwd,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Backend } from "../../src/contracts/plugin/backend.ts";
import { openSpeech, type OpenedSpeech } from "../../src/runtime/speech/open-speech.ts";
import { tempHome } from "./temp-home.ts";

export interface SpeechRig extends OpenedSpeech, AsyncDisposable {
  readonly folder: string;
  readonly home: string;
}

/** Speech as the program opens it, with these settings and variables, in a separate home. */
export async function speechRig(
  settings: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
  backends: readonly Backend[] = [],
): Promise<SpeechRig> {
  const folder = await tempHome();
  const home = join(folder.path, "home");
  await mkdir(home);
  await writeFile(join(home, "config.yaml"), JSON.stringify(settings));
  const config = await loadConfig({
    env: { PATH: process.env["PATH"], HOME: folder.path, HERMES_HOME: home, ...env },
    cwd: folder.path,
  });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const opened = openSpeech(config.value, {
    cwd: folder.path,
    clock: systemClock,
    backends: async () => backends,
  });
  return {
    ...opened,
    folder: folder.path,
    home,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

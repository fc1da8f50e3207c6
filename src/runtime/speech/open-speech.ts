import { tmpdir } from "node:os";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { homeFiles } from "../../config/home.ts";
import { isSecretName } from "../../config/keys/secret-names.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import type { SpeechDeps } from "../../speech/speech-deps.ts";
import { createSpeech, type OwnSpeech } from "../../speech/tts/create-speech.ts";
import { openWeb } from "../policy/open-web.ts";

export interface OpenSpeechDeps {
  readonly cwd: string;
  readonly clock: Clock;
  backends(): Promise<readonly Backend[]>;
}

export interface OpenedSpeech {
  readonly speech: OwnSpeech;
}

/** Opening starts and asks nothing. */
export function openSpeech(config: LoadedConfig, { cwd, clock, backends }: OpenSpeechDeps): OpenedSpeech {
  const { env, secrets, values, home } = config;
  const deps: SpeechDeps = {
    web: once(async () => openWeb(config, { cwd, clock })),
    secret: secrets.get,
    env,
    programEnv: Object.fromEntries(Object.entries(env).filter(([name]) => !isSecretName(name))),
    backends,
    clock,
    tempFolder: tmpdir(),
  };
  return { speech: createSpeech(values.tts, { ...deps, cacheFolder: join(home.path, homeFiles.audioCache) }) };
}

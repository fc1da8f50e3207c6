import { tmpdir } from "node:os";
import { join } from "node:path";

import { readTar } from "../../backup/tar-stream.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { createChildStarter } from "../../base/process/child-program.ts";
import { err, ok } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import { isSecretName } from "../../config/keys/secret-names.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import { runNpm } from "../../installation/run-npm.ts";
import { type InstallDeps, isMoonshineInstalled, moonshineFolder } from "../../speech/moonshine/install-moonshine.ts";
import { createRecogniser } from "../../speech/moonshine/recogniser.ts";
import type { SpeechDeps } from "../../speech/speech-deps.ts";
import { createTranscription, type Transcription } from "../../speech/stt/create-transcription.ts";
import { createTalk, type Talk } from "../../speech/talk/create-talk.ts";
import { createSpeech, type OwnSpeech } from "../../speech/tts/create-speech.ts";
import { openWeb } from "../policy/open-web.ts";

export interface OpenSpeechDeps {
  readonly cwd: string;
  readonly clock: Clock;
  backends(): Promise<readonly Backend[]>;
}

export interface OpenedSpeech extends AsyncDisposable {
  readonly speech: OwnSpeech;
  readonly transcription: Transcription;
  /** Microphone and loudspeaker of this machine. */
  readonly talk: Talk;
  readonly install: InstallDeps;
}

/** Opens speech and transcription. Starts no program and sends no request. */
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
  const folder = join(home.path, homeFiles.voice);
  const start = createChildStarter(clock);
  const recogniser = createRecogniser({ ...deps, folder: moonshineFolder(folder), start });
  const moonshine = { isInstalled: () => isMoonshineInstalled(folder), recogniser };
  return {
    speech: createSpeech(values.tts, { ...deps, cacheFolder: join(home.path, homeFiles.audioCache) }),
    transcription: createTranscription(values.stt, moonshine, deps),
    talk: createTalk(values.voice, { ...deps, start }),
    install: {
      folder,
      machine: `${process.platform}-${process.arch}`,
      readTar,
      async pack(spec, archives, signal) {
        const packed = await runNpm(["pack", spec, "--json", "--pack-destination", archives], {
          cwd: archives,
          env,
          signal,
          clock,
        });
        if (!packed.ok) return packed;
        const name = /"filename":\s*"([^"]+)"/u.exec(packed.value)?.[1];
        // Older versions of npm print the scope of a package with a slash in this file name.
        return name === undefined
          ? err({ message: "npm reported no file" })
          : ok(join(archives, name.replace(/^@/u, "").replaceAll("/", "-")));
      },
    },
    [Symbol.asyncDispose]: async () => recogniser[Symbol.asyncDispose](),
  };
}

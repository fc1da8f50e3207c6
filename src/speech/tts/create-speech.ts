import { extname } from "node:path";

import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { SoundFormat, Speech, SpeechRequest, SpokenFile } from "../../contracts/speech/speech.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import { saveInCache } from "../audio/audio-cache.ts";
import { convertSounds, hasFfmpeg, joinPlainly } from "../audio/convert.ts";
import type { TtsSettings } from "../settings.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import { edgeVoice } from "./edge/edge-voice.ts";
import { speechPrograms } from "./local-programs.ts";
import { commandVoice, pluginVoice } from "./own-providers.ts";
import { speechServices } from "./services.ts";
import { splitText } from "./split-text.ts";
import type { Sound, VoiceProvider } from "./voice-provider.ts";

/** Speech with additional information for people. */
export interface OwnSpeech extends Speech {
  /** Every provider, and why it cannot be used. `isChosen`: used unless a request names another one. */
  providers(signal: AbortSignal): Promise<readonly ListedVoice[]>;
}

export interface ListedVoice {
  readonly name: string;
  readonly missing?: string;
  readonly isChosen: boolean;
  /** Whether the text leaves this machine. */
  readonly isRemote: boolean;
}

export function createSpeech(settings: TtsSettings, deps: SpeechDeps & { readonly cacheFolder: string }): OwnSpeech {
  async function all(): Promise<readonly VoiceProvider[]> {
    const builtIn = [...speechServices(settings, deps), ...speechPrograms(settings, deps), edgeVoice(settings, deps)];
    const own = Object.entries(settings.providers).map(([name, each]) =>
      commandVoice(name, each, settings.speed, deps),
    );
    const plugins = (await deps.backends()).filter(({ kind }) => kind === "speech").map(pluginVoice);
    // A built-in name wins, then the person's own.
    const byName = new Map([...plugins, ...own, ...builtIn].map((each) => [each.name, each]));
    const first = [...builtIn, ...own, ...plugins];
    return first.filter((each) => byName.get(each.name) === each);
  }

  /** The provider named by a request or the settings, else all usable ones in order. */
  async function candidates(
    requested: string,
    signal: AbortSignal,
  ): Promise<Result<readonly VoiceProvider[], CallFault>> {
    const listed = await all();
    if (requested !== "") {
      const name = requested === "espeak" ? "espeak-ng" : requested;
      const named = listed.find((each) => each.name === name);
      if (!named) return err({ kind: "refused", message: unknownText(requested, listed) });
      const missing = await named.missing(signal);
      return missing === undefined ? ok([named]) : err({ kind: "unavailable", message: `${name}: ${missing}` });
    }
    const usable: VoiceProvider[] = [];
    for (const each of listed) if (each.isChosenAlone && (await each.missing(signal)) === undefined) usable.push(each);
    // The text is sent to at most one service: if it fails, local programs are tried.
    const [first, ...others] = usable;
    return ok(first ? [first, ...others.filter((each) => !isRemote(each))] : []);
  }

  async function speakWith(
    provider: VoiceProvider,
    request: SpeechRequest,
    progress: (note: string) => void,
    signal: AbortSignal,
  ): Promise<Result<readonly Sound[], CallFault>> {
    const pieces = splitText(request.text, provider.maxChars);
    const sounds: Sound[] = [];
    for (const [index, text] of pieces.entries()) {
      if (pieces.length > 1) progress(`${provider.name}: part ${index + 1} of ${pieces.length}`);
      const { voice, speed, instructions } = request;
      const spoken = await provider.speak(
        {
          text,
          ...(voice !== undefined && { voice }),
          ...(speed !== undefined && { speed }),
          ...(instructions !== undefined && { instructions }),
        },
        signal,
      );
      if (!spoken.ok) return spoken;
      sounds.push(spoken.value);
    }
    return ok(sounds);
  }

  /** In the requested format, or in the provider's format if ffmpeg is missing and none was requested. */
  async function assembled(
    sounds: readonly Sound[],
    format: SoundFormat | undefined,
    signal: AbortSignal,
  ): Promise<Result<Sound, CallFault>> {
    const given = sounds[0]?.format ?? "wav";
    const bytes = sounds.map((sound) => sound.bytes);
    const target = format ?? (hasFfmpeg(deps) ? "mp3" : given);
    const isSame = sounds.every((sound) => sound.format === target);
    const plain = isSame && (sounds.length === 1 || !hasFfmpeg(deps)) ? joinPlainly(bytes, target) : undefined;
    if (plain) return ok({ bytes: plain, format: target });
    const converted = await convertSounds(bytes, target, deps, signal);
    return converted.ok ? ok({ bytes: converted.value, format: target }) : converted;
  }

  async function save({ bytes, format }: Sound, file: string | undefined): Promise<Result<string, CallFault>> {
    if (file !== undefined) {
      const written = await writeFileAtomic(file, bytes);
      return written.ok ? ok(file) : err({ kind: "refused", message: written.error.message });
    }
    const name = { extension: format, now: deps.clock.now() };
    const saved = await saveInCache(deps.cacheFolder, bytes, name, settings.cache_mb * 1_000_000);
    return saved.ok ? saved : err({ kind: "refused", message: saved.error.message });
  }

  return {
    async speak(request, progress, signal): Promise<Result<SpokenFile, CallFault>> {
      if (request.text.trim() === "") return err({ kind: "refused", message: "There is no text to speak." });
      const format = formatOf(request, settings);
      if (!format.ok) return format;
      const named = request.provider ?? settings.provider;
      const usable = await candidates(named, signal);
      if (!usable.ok) return usable;
      const skipped: string[] = [];
      let last: CallFault = { kind: "unavailable", message: noVoiceText };
      for (const provider of usable.value) {
        const spoken = await speakWith(provider, request, progress, signal);
        const whole = spoken.ok ? await assembled(spoken.value, format.value, signal) : spoken;
        if (whole.ok) {
          const path = await save(whole.value, request.file);
          if (!path.ok) return path;
          return ok({
            path: path.value,
            provider: provider.name,
            format: whole.value.format,
            isVoiceMessage: whole.value.format === "ogg" || provider.isVoiceMessage === true,
            pieces: spoken.ok ? spoken.value.length : 0,
            skipped,
          });
        }
        last = whole.error;
        skipped.push(whole.error.message);
        if (last.kind === "aborted" || signal.aborted) break;
      }
      return err(skipped.length > 1 ? { ...last, message: skipped.join(" ") } : last);
    },
    async targets(provider) {
      const usable = await candidates(provider ?? settings.provider, new AbortController().signal);
      return usable.ok ? usable.value.flatMap(({ targets = [] }) => targets) : [];
    },
    async providers(signal) {
      const [listed, usable] = await Promise.all([all(), candidates(settings.provider, signal)]);
      const chosen = usable.ok ? usable.value[0]?.name : undefined;
      return Promise.all(
        listed.map(async (each) => {
          const missing = await each.missing(signal);
          return {
            name: each.name,
            isChosen: each.name === chosen,
            isRemote: isRemote(each),
            ...(missing !== undefined && { missing }),
          };
        }),
      );
    },
  };
}

function isRemote({ targets = [] }: VoiceProvider): boolean {
  return targets.length > 0;
}

const noVoiceText =
  "No voice can be used here. Set a key (hermes config set ELEVENLABS_API_KEY …), or install a program: apt install flite.";

function unknownText(requested: string, listed: readonly VoiceProvider[]): string {
  const names = listed.map(({ name }) => name);
  const close = nearest(requested, names, 1)[0];
  return `There is no speech provider ${JSON.stringify(requested)}${close === undefined ? "" : `; did you mean ${close}?`} Known: ${names.join(", ")}.`;
}

const byExtension: Readonly<Record<string, SoundFormat>> = {
  ".mp3": "mp3",
  ".wav": "wav",
  ".ogg": "ogg",
  ".oga": "ogg",
  ".opus": "ogg",
  ".flac": "flac",
};

/** If undefined, any format is accepted. */
function formatOf(
  { file, format }: SpeechRequest,
  { output_format: setting }: TtsSettings,
): Result<SoundFormat | undefined, CallFault> {
  if (format !== undefined) return ok(format);
  if (file === undefined) return ok(setting === "auto" ? undefined : setting);
  const named = byExtension[extname(file).toLowerCase()];
  return named === undefined
    ? err({ kind: "refused", message: `The name of the file must end with ${Object.keys(byExtension).join(", ")}.` })
    : ok(named);
}

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { findProgram } from "../../base/process/find-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { SoundFormat } from "../../contracts/speech/speech.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import { inTempFolder, runToolProgram } from "../run-tool-program.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import { soundKind } from "./sound-kind.ts";
import { type Pcm, readWav, writeWav } from "./wav.ts";

type ConvertDeps = Pick<SpeechDeps, "programEnv" | "clock" | "tempFolder">;

export function hasFfmpeg({ programEnv }: Pick<SpeechDeps, "programEnv">): boolean {
  return findProgram(["ffmpeg"], programEnv) !== undefined;
}

/** Converts and joins audio with ffmpeg. Never rejects. */
export async function convertSounds(
  sounds: readonly Uint8Array[],
  format: SoundFormat,
  deps: ConvertDeps,
  signal: AbortSignal,
): Promise<Result<Uint8Array, CallFault>> {
  return withFfmpeg(sounds, encoders[format], format, deps, signal);
}

/** Audio in the format of speech recognisers: 16,000 samples per second, one channel. */
export async function speechSamples(
  sound: Uint8Array,
  deps: ConvertDeps,
  signal: AbortSignal,
): Promise<Result<Pcm, CallFault>> {
  const own = readWav(sound);
  if (own?.sampleRate === recogniserRate && own.channels === 1) return ok(own);
  const converted = await withFfmpeg(
    [sound],
    ["-ar", String(recogniserRate), "-c:a", "pcm_s16le"],
    "wav",
    deps,
    signal,
  );
  if (!converted.ok) return converted;
  const samples = readWav(converted.value);
  return samples ? ok(samples) : err({ kind: "refused", message: "ffmpeg wrote no samples." });
}

export const recogniserRate = 16_000;

const encoders: Readonly<Record<SoundFormat, readonly string[]>> = {
  mp3: ["-c:a", "libmp3lame", "-b:a", "96k"],
  wav: ["-c:a", "pcm_s16le"],
  ogg: ["-c:a", "libopus", "-b:a", "32k", "-ar", "48000", "-application", "voip", "-f", "ogg"],
  flac: ["-c:a", "flac"],
};

async function withFfmpeg(
  sounds: readonly Uint8Array[],
  encoder: readonly string[],
  extension: string,
  { programEnv, clock, tempFolder }: ConvertDeps,
  signal: AbortSignal,
): Promise<Result<Uint8Array, CallFault>> {
  const program = findProgram(["ffmpeg"], programEnv);
  if (program === undefined)
    return err({
      kind: "unavailable",
      message: "This sound needs ffmpeg: apt install ffmpeg, or brew install ffmpeg.",
    });
  const kinds = sounds.map(soundKind);
  return inTempFolder(tempFolder, async (folder) => {
    const inputs: string[] = [];
    for (const [index, sound] of sounds.entries()) {
      const kind = kinds[index];
      if (!kind) return err({ kind: "refused", message: "The file is not in an audio format that Hermes reads." });
      const file = join(folder, `input-${index}`);
      await writeFile(file, sound);
      // The format is given explicitly, and only files are read, so that a playlist of URLs cannot pass as audio.
      inputs.push("-protocol_whitelist", "file", "-f", kind.demuxer, "-i", file);
    }
    const output = join(folder, `output.${extension}`);
    const joined = sounds.map((_, index) => `[${index}:a:0]aresample=48000,aformat=channel_layouts=mono[s${index}]`);
    const parts = sounds.map((_, index) => `[s${index}]`).join("");
    const filter =
      sounds.length > 1
        ? ["-filter_complex", `${joined.join(";")};${parts}concat=n=${sounds.length}:v=0:a=1[all]`, "-map", "[all]"]
        : ["-map", "0:a:0"];
    const ran = await runToolProgram(
      {
        name: "ffmpeg",
        program,
        args: ["-nostdin", "-hide_banner", "-loglevel", "error", ...inputs, ...filter, "-ac", "1", ...encoder, output],
        env: programEnv,
        timeoutMs: 300_000,
        clock,
      },
      signal,
    );
    if (!ran.ok) return ran;
    return ok(new Uint8Array(await readFile(output)));
  });
}

/** Joins audio of one format without an external program. Returns undefined if that is not possible. */
export function joinPlainly(sounds: readonly Uint8Array[], format: SoundFormat): Uint8Array | undefined {
  const [first] = sounds;
  if (sounds.length === 1) return first;
  // MP3 frames can be concatenated.
  if (format === "mp3") return Buffer.concat(sounds);
  const waves = sounds.flatMap((sound) => readWav(sound) ?? []);
  const [pattern] = waves;
  const isSame = waves.every(
    ({ sampleRate, channels }) => sampleRate === pattern?.sampleRate && channels === pattern.channels,
  );
  if (format !== "wav" || waves.length < sounds.length || !pattern || !isSame) return undefined;
  return writeWav({ ...pattern, samples: Buffer.concat(waves.map(({ samples }) => samples)) });
}

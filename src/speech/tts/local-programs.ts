import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { findProgram } from "../../base/process/find-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import { inTempFolder, runToolProgram } from "../run-tool-program.ts";
import type { TtsSettings } from "../settings.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import { clamp, type Sound, type SpeechPiece, speedOf, type VoiceProvider } from "./voice-provider.ts";

interface Files {
  readonly input: string;
  readonly output: string;
}

/** A program of this machine that writes WAV. */
interface ProgramRow {
  readonly name: string;
  readonly programs: readonly string[];
  readonly maxChars: number;
  readonly isChosenAlone: boolean;
  readonly advice: string;
  readonly timeoutMs: number;
  args(piece: SpeechPiece, files: Files): readonly string[];
  readonly stdin?: (piece: SpeechPiece, files: Files) => string;
  /** Missing requirements besides the program itself. */
  readonly missing?: (program: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** Local programs that can speak, in the order of preference. */
export function speechPrograms(settings: TtsSettings, deps: SpeechDeps): readonly VoiceProvider[] {
  return rowsOf(settings, deps).map((row) => providerOf(row, deps));
}

function providerOf(row: ProgramRow, deps: SpeechDeps): VoiceProvider {
  const find = () => findProgram(row.programs, deps.programEnv);
  return {
    name: row.name,
    maxChars: row.maxChars,
    isChosenAlone: row.isChosenAlone,
    async missing(signal) {
      const program = find();
      return program === undefined ? row.advice : row.missing?.(program, signal);
    },
    async speak(piece, signal) {
      const program = find();
      if (program === undefined) return err({ kind: "unavailable", message: `${row.name}: ${row.advice}` });
      return inTempFolder(deps.tempFolder, async (folder) => {
        const files = { input: join(folder, "text.txt"), output: join(folder, "speech.wav") };
        await writeFile(files.input, piece.text);
        const ran = await runToolProgram(
          {
            name: row.name,
            program,
            args: row.args(piece, files),
            env: deps.programEnv,
            ...(row.stdin && { stdin: row.stdin(piece, files) }),
            timeoutMs: row.timeoutMs,
            clock: deps.clock,
          },
          signal,
        );
        return ran.ok ? writtenSound(row.name, files.output) : ran;
      });
    },
  };
}

async function writtenSound(name: string, file: string): Promise<Result<Sound, CallFault>> {
  const bytes = await readFile(file).catch(() => undefined);
  if (bytes === undefined || bytes.length <= 44) return err({ kind: "refused", message: `${name} wrote no sound.` });
  return ok({ bytes, format: "wav" });
}

function rowsOf(settings: TtsSettings, deps: SpeechDeps): readonly ProgramRow[] {
  const { piper, flite, espeak, kittentts, neutts } = settings;
  const python = (program: string, module: string) => async (_: string, signal: AbortSignal) => {
    const check = `import importlib.util as u, sys; sys.exit(u.find_spec("${module}") is None)`;
    const ran = await runToolProgram(
      { name: module, program, args: ["-c", check], env: deps.programEnv, timeoutMs: 10_000, clock: deps.clock },
      signal,
    );
    return ran.ok ? undefined : `${program} has no package ${module}: pip install ${module}`;
  };
  return [
    {
      name: "piper",
      programs: ["piper"],
      maxChars: 5_000,
      // Needs a voice that the user must download.
      isChosenAlone: false,
      advice: "install piper: pip install piper-tts",
      timeoutMs: 300_000,
      args: ({ voice = piper.voice, ...piece }, { output }) => [
        ...piperModel(voice, piper.voices_dir),
        "--output_file",
        output,
        "--length_scale",
        String(1 / clamp(speedOf(piece, piper.speed, settings.speed), 0.25, 4)),
      ],
      // All versions of piper read standard input; only the newest one reads files.
      stdin: ({ text }) => `${text.replaceAll(/\s+/gu, " ").trim()}\n`,
    },
    {
      name: "flite",
      programs: ["flite"],
      maxChars: 5_000,
      isChosenAlone: true,
      advice: "install it: apt install flite",
      timeoutMs: 120_000,
      args: ({ voice = flite.voice, ...piece }, { input, output }) => [
        "-voice",
        voice,
        "--setf",
        `duration_stretch=${1 / speedOf(piece, flite.speed, settings.speed)}`,
        "-f",
        input,
        "-o",
        output,
      ],
    },
    {
      name: "espeak-ng",
      programs: ["espeak-ng", "espeak"],
      maxChars: 20_000,
      isChosenAlone: true,
      advice: "install it: apt install espeak-ng",
      timeoutMs: 120_000,
      args: ({ voice = espeak.voice, ...piece }, { input, output }) => [
        "-v",
        voice,
        "-s",
        String(Math.round(wordsPerMinute * speedOf(piece, espeak.speed, settings.speed))),
        "-f",
        input,
        "-w",
        output,
      ],
    },
    {
      name: "kittentts",
      programs: [kittentts.python],
      maxChars: 2_000,
      isChosenAlone: false,
      advice: `${kittentts.python} was not found`,
      timeoutMs: 600_000,
      args: () => ["-c", kittenProgram],
      stdin: ({ text, voice = kittentts.voice, ...piece }, { output }) =>
        JSON.stringify({
          text,
          voice,
          output,
          model: kittentts.model,
          speed: speedOf(piece, kittentts.speed, settings.speed),
        }),
      missing: python(kittentts.python, "kittentts"),
    },
    {
      name: "neutts",
      programs: [neutts.python],
      maxChars: 2_000,
      isChosenAlone: false,
      advice: `${neutts.python} was not found`,
      timeoutMs: 600_000,
      args: () => ["-c", neuttsProgram],
      stdin: ({ text }, { output }) =>
        JSON.stringify({ text, output, model: neutts.model, audio: neutts.ref_audio, words: neutts.ref_text }),
      missing: async (program, signal) =>
        neutts.ref_audio === "" || neutts.ref_text === ""
          ? "set tts.neutts.ref_audio and tts.neutts.ref_text to a recording of the voice and its words"
          : python(neutts.python, "neutts")(program, signal),
    },
  ];
}

const wordsPerMinute = 175;

/** The program without Python accepts only the path of a voice; the others also find or fetch a voice by its name. */
function piperModel(voice: string, folder: string): readonly string[] {
  if (folder === "") return ["--model", voice];
  const file = join(folder, `${voice}.onnx`);
  return existsSync(file) ? ["--model", file] : ["--model", voice, "--data-dir", folder];
}

/** The task is read from standard input, so that no text is part of a command. */
const kittenProgram = `
import json, sys
order = json.load(sys.stdin)
from kittentts import KittenTTS
import soundfile
sound = KittenTTS(order["model"]).generate(order["text"], voice=order["voice"], speed=order["speed"])
soundfile.write(order["output"], sound, 24000, subtype="PCM_16")
`;

const neuttsProgram = `
import json, os, sys
order = json.load(sys.stdin)
from neutts import NeuTTS
import soundfile
words = order["words"]
if os.path.isfile(words):
    with open(words) as file:
        words = file.read().strip()
voice = NeuTTS(backbone_repo=order["model"], backbone_device="cpu", codec_repo="neuphonic/neucodec", codec_device="cpu")
sound = voice.infer(order["text"], voice.encode_reference(order["audio"]), words)
soundfile.write(order["output"], sound, 24000, subtype="PCM_16")
`;

import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { isObject, parsedJson } from "../../base/json.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quotedCommand } from "../../base/text/quoted-command.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import { speechSamples } from "../audio/convert.ts";
import { soundKind } from "../audio/sound-kind.ts";
import { writeWav } from "../audio/wav.ts";
import { inTempFolder, runToolProgram } from "../run-tool-program.ts";
import type { ListeningCommand, SttSettings } from "../settings.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import type { HeardSound, Listener } from "./listener.ts";

/** Uses faster-whisper or whisper.cpp, whichever this machine has. */
export function localWhisper({ local }: SttSettings, deps: SpeechDeps): Listener {
  const python = () => findProgram([local.python], deps.programEnv);
  const run = (name: string, program: string, args: readonly string[], signal: AbortSignal, stdin?: string) =>
    runToolProgram(
      {
        name,
        program,
        args,
        env: deps.programEnv,
        // whisper.cpp ends with 0 after an unknown language.
        errorLine: /^error: .*$/mu,
        timeoutMs: 900_000,
        clock: deps.clock,
        ...(stdin !== undefined && { stdin }),
      },
      signal,
    );
  async function hasFasterWhisper(signal: AbortSignal): Promise<boolean> {
    const program = python();
    const check = 'import importlib.util as u, sys; sys.exit(u.find_spec("faster_whisper") is None)';
    return program !== undefined && (await run("python", program, ["-c", check], signal)).ok;
  }
  function whisperCpp(): { readonly program: string; readonly model: string } | undefined {
    const program = findProgram(["whisper-cli", "whisper-cpp"], deps.programEnv);
    const home = deps.env["HOME"] ?? "";
    const folders = [
      join(home, ".cache/whisper.cpp"),
      join(home, ".local/share/whisper.cpp"),
      "/usr/share/whisper.cpp/models",
      "/usr/local/share/whisper.cpp/models",
      "/opt/homebrew/share/whisper-cpp",
    ];
    const model = [local.model, ...folders.map((folder) => join(folder, `ggml-${local.model}.bin`))].find(
      (file) => file.includes("/") && existsSync(file),
    );
    return program === undefined || model === undefined ? undefined : { program, model };
  }
  return {
    name: "local",
    isChosenAlone: true,
    async missing(signal) {
      if (whisperCpp() || (await hasFasterWhisper(signal))) return undefined;
      return "install faster-whisper (pip install faster-whisper) or whisper.cpp with a model, or run: hermes voice install";
    },
    async transcribe(sound, signal) {
      const pcm = await speechSamples(sound.bytes, deps, signal);
      if (!pcm.ok) return pcm;
      return inTempFolder(deps.tempFolder, async (folder) => {
        const file = join(folder, "speech.wav");
        await writeFile(file, writeWav(pcm.value));
        const cpp = whisperCpp();
        if (await hasFasterWhisper(signal)) {
          const order = JSON.stringify({ file, model: local.model, language: sound.language });
          const ran = await run("faster-whisper", python() ?? "python3", ["-c", whisperProgram], signal, order);
          return ran.ok ? ok(ran.value.trim()) : ran;
        }
        if (!cpp) return err({ kind: "unavailable", message: "whisper was not found." });
        const language = sound.language === "" ? "auto" : sound.language;
        const args = ["-m", cpp.model, "-f", file, "-l", language, "-nt", "-np"];
        const ran = await run("whisper.cpp", cpp.program, args, signal);
        return ran.ok ? ok(ran.value.replaceAll(/\s+/gu, " ").trim()) : ran;
      });
    },
  };
}

const whisperProgram = `
import json, sys
order = json.load(sys.stdin)
from faster_whisper import WhisperModel
model = WhisperModel(order["model"], device="auto", compute_type="default")
segments, _ = model.transcribe(order["file"], language=order["language"] or None, beam_size=5)
print(" ".join(segment.text.strip() for segment in segments))
`;

/** A command of the user that transcribes audio. */
export function commandListener(name: string, settings: ListeningCommand, deps: SpeechDeps): Listener {
  const { command, format, model } = settings;
  return {
    name,
    isChosenAlone: name === "local_command",
    missing: async () => (command.trim() === "" ? "its command is not set" : undefined),
    transcribe: (sound, signal) =>
      inTempFolder(deps.tempFolder, async (folder) => {
        const input = join(folder, `speech.${soundKind(sound.bytes)?.extension ?? "wav"}`);
        const output = join(folder, `speech.${format}`);
        await writeFile(input, sound.bytes);
        const line = quotedCommand(command, {
          input_path: input,
          output_path: output,
          output_dir: folder,
          format,
          language: sound.language || settings.language,
          model,
        });
        const ran = await runToolProgram(
          {
            name,
            program: "/bin/sh",
            args: ["-c", line],
            env: deps.env,
            cwd: folder,
            timeoutMs: settings.timeout * 1_000,
            clock: deps.clock,
          },
          signal,
        );
        if (!ran.ok) return ran;
        const written = await writtenText(folder, output, format);
        const text = plainTranscript(written ?? ran.value, format).trim();
        return text === "" && written === undefined ? noText(name) : ok(text);
      }),
  };
}

function noText(name: string): Result<string, CallFault> {
  return err({ kind: "refused", message: `${name} wrote no text.` });
}

/** Some programs name the output file after their input and put it into the folder. */
async function writtenText(folder: string, output: string, format: string): Promise<string | undefined> {
  const names = [
    output,
    ...(await readdir(folder)).filter((name) => name.endsWith(`.${format}`)).map((name) => join(folder, name)),
  ];
  for (const name of names) {
    const text = await readFile(name, "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The words of a transcript without its time stamps. */
function plainTranscript(text: string, format: ListeningCommand["format"]): string {
  if (format === "json") {
    const parsed = parsedJson(text);
    return isObject(parsed) && typeof parsed["text"] === "string" ? parsed["text"] : "";
  }
  if (format === "txt") return text;
  return text
    .replace(/^WEBVTT[^\n]*\n/u, "")
    .split(/\r?\n/u)
    .filter((line) => line.trim() !== "" && !/^\d+$/u.test(line.trim()) && !line.includes("-->"))
    .map((line) => line.replaceAll(/<[^>]*>/gu, "").trim())
    .join(" ");
}

/** A listener that a plugin provides. */
export function pluginListener(backend: Backend, deps: SpeechDeps): Listener {
  return {
    name: backend.id,
    isChosenAlone: false,
    missing: async (signal) =>
      (await backend.isAvailable(signal)) ? undefined : "its plugin says that it is not ready",
    transcribe: ({ bytes, language }: HeardSound, signal) =>
      inTempFolder(deps.tempFolder, async (folder) => {
        const path = join(folder, `speech.${soundKind(bytes)?.extension ?? "wav"}`);
        await writeFile(path, bytes);
        const answer = await backend.run({ path, ...(language !== "" && { language }) }, signal);
        if (!answer.ok) return err({ kind: "refused", message: `${backend.id}: ${answer.error.message}` });
        const { value } = answer;
        const text = isObject(value) ? value["text"] : undefined;
        return typeof text === "string" ? ok(text.trim()) : noText(backend.id);
      }),
  };
}

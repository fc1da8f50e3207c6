import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { ChildProgram, StartChild } from "../../base/process/child-program.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quotedCommand } from "../../base/text/quoted-command.ts";
import { recogniserRate } from "../audio/convert.ts";
import { writeWav } from "../audio/wav.ts";
import { inTempFolder } from "../run-tool-program.ts";
import type { VoiceSettings } from "../settings.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import { beep } from "./beep.ts";
import { createTake, type TakeEnd } from "./take.ts";

export interface RecordedTake {
  /** A WAV file. Undefined if no speech was detected. */
  readonly sound: Uint8Array | undefined;
  readonly end: TakeEnd | "stopped";
}

/** Microphone and loudspeaker. Only one recording runs at a time. */
export interface Talk {
  /** The programs that the recorder uses; undefined if there are none. */
  readonly recorder: string | undefined;
  readonly player: string | undefined;
  /** Records until silence, a limit or `stop`. An abort discards the recording. Never rejects. */
  record(signal: AbortSignal): Promise<Result<RecordedTake>>;
  /** Ends the current recording and keeps its audio. */
  stop(): void;
  /** Plays a sound file to its end, or to an abort. Never rejects. */
  play(file: string, signal: AbortSignal): Promise<Result<void>>;
}

interface FoundProgram {
  readonly name: string;
  readonly program: string;
  args(file: string): readonly string[];
}

export function createTalk(
  settings: VoiceSettings,
  deps: Pick<SpeechDeps, "env" | "programEnv" | "clock" | "tempFolder"> & { readonly start: StartChild },
): Talk {
  const find = (
    rows: readonly (readonly [program: string, args: FoundProgram["args"]])[],
  ): FoundProgram | undefined => {
    for (const [name, args] of rows) {
      const program = findProgram([name], deps.programEnv);
      if (program !== undefined) return { name, program, args };
    }
    return undefined;
  };
  const shell = (command: string): FoundProgram => ({
    name: command.split(/\s/u, 1).join(""),
    program: "/bin/sh",
    args: (file) => ["-c", quotedCommand(command, { input_path: file })],
  });
  const recorder = () => (settings.recorder === "" ? find(recorders()) : shell(settings.recorder));
  const player = () => (settings.player === "" ? find(players) : shell(settings.player));
  let stopTake: (() => void) | undefined;

  async function start(match: FoundProgram, file: string, isOwn: boolean): Promise<Result<ChildProgram>> {
    const env = isOwn ? deps.env : deps.programEnv;
    const started = await deps.start({ program: match.program, args: match.args(file), cwd: "/", env });
    return started.ok ? started : err({ message: `${match.name} cannot be started: ${started.error}` });
  }

  async function play(file: string, signal: AbortSignal): Promise<Result<void>> {
    const match = player();
    if (!match)
      return err({ message: "No player was found: install alsa-utils (aplay), pulseaudio-utils, ffmpeg or mpv." });
    if (signal.aborted) return ok(undefined);
    const started = await start(match, file, settings.player !== "");
    if (!started.ok) return started;
    const child = started.value;
    child.stdout.resume();
    const end = () => void child.end();
    signal.addEventListener("abort", end, { once: true });
    using _timer = deps.clock.after(maxPlayMs, end);
    if (signal.aborted) end();
    const { code } = await child.exited;
    signal.removeEventListener("abort", end);
    await child.end();
    if (code === 0 || signal.aborted) return ok(undefined);
    return err({ message: `${match.name} failed: ${child.stderrTail().trim().split("\n").at(-1) ?? ""}` });
  }

  /** Beeps are optional: without an audio player there are none. */
  async function signalTone(frequency: number, times: number, signal: AbortSignal): Promise<void> {
    if (!settings.beep_enabled || !player()) return;
    await inTempFolder(deps.tempFolder, async (folder) => {
      const file = join(folder, "beep.wav");
      await writeFile(file, beep(frequency, times));
      await play(file, signal);
    }).catch(() => undefined);
  }

  async function takeFrom(child: ChildProgram, name: string, signal: AbortSignal): Promise<Result<RecordedTake>> {
    const take = createTake({
      sampleRate: recogniserRate,
      threshold: settings.silence_threshold,
      silenceMs: settings.silence_duration * 1_000,
      maxMs: settings.max_recording_seconds * 1_000,
    });
    const ended = Promise.withResolvers<TakeEnd | "stopped" | "broken">();
    const abort = () => ended.resolve("stopped");
    stopTake = abort;
    signal.addEventListener("abort", abort, { once: true });
    // A recorder that sends no data must not keep the microphone open.
    using _timer = deps.clock.after(settings.max_recording_seconds * 1_000 + 5_000, () => ended.resolve("limit"));
    child.stdout.on("data", (chunk: Buffer) => {
      const end = take.add(chunk);
      if (end) ended.resolve(end);
    });
    void child.exited.then(() => ended.resolve("broken"));
    const end = await ended.promise;
    stopTake = undefined;
    signal.removeEventListener("abort", abort);
    child.stdout.removeAllListeners("data");
    child.stdout.resume();
    await child.end();
    const samples = take.samples();
    if (end === "broken" && samples.length === 0) {
      const why = child.stderrTail().trim().split("\n").at(-1) ?? "";
      return err({ message: `${name} recorded nothing${why && `: ${why}`}` });
    }
    const sound =
      take.hasSpeech && !signal.aborted ? writeWav({ sampleRate: recogniserRate, channels: 1, samples }) : undefined;
    return ok({ sound, end: end === "broken" ? "stopped" : end });
  }

  return {
    get recorder() {
      return recorder()?.name;
    },
    get player() {
      return player()?.name;
    },
    async record(signal) {
      if (stopTake) return err({ message: "A take is being recorded already." });
      const match = recorder();
      if (!match)
        return err({
          message: "No recorder was found: install alsa-utils (arecord), pulseaudio-utils (parec), sox or ffmpeg.",
        });
      // The microphone is reserved before anything is awaited.
      let isStopped = false;
      stopTake = () => void (isStopped = true);
      try {
        await signalTone(880, 1, signal);
        if (isStopped || signal.aborted) return ok({ sound: undefined, end: "stopped" });
        const started = await start(match, "", settings.recorder !== "");
        if (!started.ok) return started;
        const recorded = await takeFrom(started.value, match.name, signal);
        await signalTone(660, 2, signal);
        return recorded;
      } finally {
        stopTake = undefined;
      }
    },
    stop: () => stopTake?.(),
    play,
  };
}

const maxPlayMs = 600_000;
const rate = String(recogniserRate);

function recorders(): readonly (readonly [string, FoundProgram["args"]])[] {
  const device = process.platform === "darwin" ? ["-f", "avfoundation", "-i", ":0"] : ["-f", "pulse", "-i", "default"];
  return [
    ["arecord", () => ["-q", "-t", "raw", "-f", "S16_LE", "-r", rate, "-c", "1", "-"]],
    ["parec", () => ["--raw", "--format=s16le", `--rate=${rate}`, "--channels=1"]],
    ["rec", () => ["-q", "-t", "raw", "-r", rate, "-c", "1", "-b", "16", "-e", "signed-integer", "-"]],
    ["ffmpeg", () => ["-nostdin", "-loglevel", "error", ...device, "-ac", "1", "-ar", rate, "-f", "s16le", "-"]],
  ];
}

const players: readonly (readonly [string, FoundProgram["args"]])[] = [
  ["afplay", (file) => [file]],
  ["ffplay", (file) => ["-nodisp", "-autoexit", "-loglevel", "error", file]],
  ["mpv", (file) => ["--no-video", "--really-quiet", file]],
  ["paplay", (file) => [file]],
  ["aplay", (file) => ["-q", file]],
];

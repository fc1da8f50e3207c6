// covers: src/speech, src/runtime/speech, src/operations/speech
import assert from "node:assert/strict";
import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import OpenAI, { toFile } from "openai";

import { systemClock } from "../../src/base/clock.ts";
import { withFileLock } from "../../src/base/files/file-lock.ts";
import { createChildStarter } from "../../src/base/process/child-program.ts";
import { readWav, writeWav } from "../../src/speech/audio/wav.ts";
import { installMoonshine, isMoonshineInstalled } from "../../src/speech/moonshine/install-moonshine.ts";
import { createRecogniser } from "../../src/speech/moonshine/recogniser.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { speechRig } from "../support/speech-rig.ts";
import { type SpeechCall, startSpeechServer } from "../support/speech-server.ts";
import { missingPrograms } from "../support/system-programs.ts";

const { signal } = new AbortController();
const quiet = () => {};
const noPrograms = { PATH: "/nonexistent" };
const wav = writeWav({ sampleRate: 16_000, channels: 1, samples: Buffer.alloc(3_200) });

async function formOf({ headers, body }: SpeechCall): Promise<Readonly<Record<string, unknown>>> {
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": headers["content-type"] ?? "" },
  }).formData();
  const entries = [...form].map(async ([name, value]) => [
    name,
    typeof value === "string" ? value : await value.bytes(),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

const answering = (status: number, body: unknown) =>
  startSpeechServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });

const services = [
  { provider: "groq", key: "GROQ_API_KEY", path: "/audio/transcriptions", model: "whisper-large-v3-turbo" },
  { provider: "openai", key: "OPENAI_API_KEY", path: "/audio/transcriptions", model: "whisper-1" },
  { provider: "mistral", key: "MISTRAL_API_KEY", path: "/audio/transcriptions", model: "voxtral-mini-latest" },
  { provider: "xai", key: "XAI_API_KEY", path: "/stt", model: undefined },
] as const;

for (const { provider, key, path, model } of services) {
  test(`${provider} gets the audio as a form and returns the text`, async () => {
    await using server = await answering(200, { text: " Put the kettle on. " });
    const settings = { stt: { provider, language: "en", [provider]: { base_url: server.url } } };
    await using rig = await speechRig(settings, { ...noPrograms, [key]: "k-1" });
    const transcript = await rig.transcription.transcribe(wav, {}, signal);
    assert.deepEqual(transcript, { ok: true, value: { text: "Put the kettle on.", provider, skipped: [] } });
    const [call] = server.calls;
    assert.ok(call);
    assert.equal(call.path, path);
    assert.equal(call.headers.authorization, "Bearer k-1");
    const form = await formOf(call);
    assert.equal(form["model"], model);
    assert.equal(form["language"], "en");
    assert.deepEqual(Buffer.from(form["file"] as Uint8Array), wav);
  });

  test(`${provider} reports a limit with its own message`, async () => {
    await using server = await answering(429, { error: { message: "Rate limit reached" } });
    await using rig = await speechRig({ stt: { provider, [provider]: { base_url: server.url } } }, { [key]: "k-1" });
    const transcript = await rig.transcription.transcribe(wav, {}, signal);
    assert.ok(!transcript.ok && transcript.error.kind === "limit");
    assert.match(transcript.error.message, /answered 429: Rate limit reached/u);
  });
}

test("the requests to OpenAI equal those of its own client", async () => {
  await using server = await startSpeechServer(({ path }, response) => {
    if (path.endsWith("speech"))
      response.writeHead(200, { "content-type": "audio/mpeg" }).end(Buffer.from([0xff, 0xfb]));
    else response.writeHead(200, { "content-type": "application/json" }).end('{"text":"hi"}');
  });
  const client = new OpenAI({ apiKey: "k-1", baseURL: server.url });
  const spoken = { model: "gpt-4o-mini-tts", input: "Hello.", voice: "alloy", response_format: "mp3" } as const;
  await client.audio.speech.create(spoken);
  const file = await toFile(wav, "speech.wav", { type: "audio/wav" });
  await client.audio.transcriptions.create({ file, model: "whisper-1", response_format: "json" });
  const own = { base_url: server.url };
  const settings = { tts: { provider: "openai", openai: own }, stt: { provider: "openai", openai: own } };
  await using rig = await speechRig(settings, { ...noPrograms, OPENAI_API_KEY: "k-1" });
  assert.ok((await rig.speech.speak({ text: "Hello." }, quiet, signal)).ok);
  assert.ok((await rig.transcription.transcribe(wav, {}, signal)).ok);
  const [speech, transcription, ownSpeech, ownTranscription] = server.calls;
  assert.ok(speech && transcription && ownSpeech && ownTranscription);
  assert.deepEqual(JSON.parse(ownSpeech.body.toString()), JSON.parse(speech.body.toString()));
  assert.deepEqual(await formOf(ownTranscription), await formOf(transcription));
  assert.deepEqual([ownSpeech.path, ownTranscription.path], [speech.path, transcription.path]);
});

test("without a setting the order is: local model, local command, groq, openai", async () => {
  await using server = await answering(200, { text: "from a service" });
  const settings = { stt: { groq: { base_url: server.url } } };
  const keys = { ...noPrograms, GROQ_API_KEY: "k" };
  await using far = await speechRig(settings, keys);
  const served = await far.transcription.transcribe(wav, {}, signal);
  assert.ok(served.ok && served.value.provider === "groq");
  await using near = await speechRig(settings, { ...keys, HERMES_LOCAL_STT_COMMAND: "echo from a command" });
  const local = await near.transcription.transcribe(wav, {}, signal);
  assert.ok(local.ok && local.value.provider === "local_command" && local.value.text === "from a command");
  assert.equal(server.calls.length, 1);
});

test("a command writes its text to a file, or prints it", async () => {
  const providers = {
    srt: {
      command: `printf '1\\n00:00 --> 00:02\\nPut the\\n\\n2\\n00:02 --> 00:03\\nkettle on.\\n' > {output_path}`,
      format: "srt",
    },
    json: { command: `printf '{"text":"Put the kettle on."}' > {output_dir}/other.json`, format: "json" },
    txt: { command: `test -s {input_path} && echo Put the kettle on.`, format: "txt" },
  };
  await using rig = await speechRig({ stt: { providers } });
  for (const provider of Object.keys(providers)) {
    const transcript = await rig.transcription.transcribe(wav, { provider }, signal);
    assert.ok(transcript.ok && transcript.value.text === "Put the kettle on.", JSON.stringify(transcript));
  }
});

test(
  "whisper.cpp on this machine gets samples in the format that it needs",
  { skip: missingPrograms({ ffmpeg: "ffmpeg" }) },
  async () => {
    await using files = await speechRig({});
    const bin = join(files.folder, "bin");
    await mkdir(bin);
    const [copy, model] = [join(files.folder, "copy.wav"), join(files.folder, "ggml-base.bin")];
    await writeFile(model, "model");
    await writeFile(
      join(bin, "whisper-cli"),
      `#!/bin/sh\n[ "$1$2" = "-m${model}" ] || exit 4\n` +
        // Version 1.9.1 answers an unknown language with its usage and the exit code 0.
        `[ "$6" = klingon ] && { echo "error: unknown language 'klingon'" >&2; echo "usage: …" >&2; exit 0; }\n` +
        `cp "$4" ${copy}\necho " Hello  there."\n`,
    );
    await chmod(join(bin, "whisper-cli"), 0o755);
    await using rig = await speechRig(
      { stt: { provider: "local", local: { model, python: "no-python" } } },
      { PATH: `${bin}:${process.env["PATH"]}` },
    );
    const stereo = writeWav({ sampleRate: 44_100, channels: 2, samples: Buffer.alloc(44_100 * 4) });
    const transcript = await rig.transcription.transcribe(stereo, {}, signal);
    assert.ok(transcript.ok && transcript.value.text === "Hello there.", JSON.stringify(transcript));
    const unknown = await rig.transcription.transcribe(stereo, { language: "klingon" }, signal);
    assert.ok(!unknown.ok && unknown.error.message.includes("whisper.cpp failed: error: unknown language 'klingon'"));
    const converted = readWav(await readFile(copy));
    assert.deepEqual([converted?.sampleRate, converted?.channels], [16_000, 1]);
  },
);

test(
  "faster-whisper of a Python and the model of a whisper.cpp are used without a setting",
  { skip: missingPrograms({ ffmpeg: "ffmpeg", python3: "python3" }) },
  async () => {
    await using files = await speechRig({});
    const [bin, modules, models] = ["bin", "modules", ".cache/whisper.cpp"].map((name) => join(files.folder, name));
    assert.ok(bin && modules && models);
    for (const folder of [bin, modules, models]) await mkdir(folder, { recursive: true });
    await writeFile(
      join(modules, "faster_whisper.py"),
      `from types import SimpleNamespace as part
class WhisperModel:
    def __init__(self, model, device, compute_type): self.model = model
    def transcribe(self, file, language, beam_size):
        return (part(text=text) for text in (" " + self.model, f" {language} ", open(file, "rb").read(4).decode())), None
`,
    );
    const path = { PATH: `${bin}:${process.env["PATH"]}` };
    await using python = await speechRig({}, { ...path, PYTHONPATH: modules });
    const faster = await python.transcription.transcribe(wav, { language: "de" }, signal);
    assert.ok(faster.ok, JSON.stringify(faster));
    assert.deepEqual([faster.value.provider, faster.value.text], ["local", "base de RIFF"]);
    await writeFile(join(models, "ggml-base.bin"), "model");
    await writeFile(join(bin, "whisper-cli"), `#!/bin/sh\necho "$2 $5 $6 $7 $8"\n`, { mode: 0o755 });
    const settings = { stt: { local: { python: "no-python" } } };
    await using cpp = await speechRig(settings, { ...path, HOME: files.folder });
    const plain = await cpp.transcription.transcribe(wav, {}, signal);
    assert.ok(plain.ok, JSON.stringify(plain));
    assert.deepEqual(
      [plain.value.provider, plain.value.text],
      ["local", `${join(models, "ggml-base.bin")} -l auto -nt -np`],
    );
  },
);

test("a playlist of addresses does not pass for audio", async () => {
  await using rig = await speechRig({});
  const list = Buffer.from("#EXTM3U\n#EXTINF:1,\nhttp://169.254.169.254/latest/meta-data\n");
  const transcript = await rig.transcription.transcribe(list, {}, signal);
  assert.ok(!transcript.ok && /not in an audio format/u.test(transcript.error.message));
});

test("an archive that does not match its checksum is refused, and nothing is installed", async () => {
  await using rig = await speechRig({});
  const install = {
    ...rig.install,
    machine: "linux-x64",
    async pack(_: string, folder: string) {
      await writeFile(join(folder, "evil.tgz"), "not the package");
      return { ok: true, value: join(folder, "evil.tgz") } as const;
    },
  };
  const installed = await installMoonshine(install, quiet, signal);
  assert.ok(!installed.ok && /not the package that Hermes expects/u.test(installed.error.message));
  assert.equal(isMoonshineInstalled(rig.install.folder), false);
});

test(
  "a text that is spoken and transcribed comes back: flite, Opus, Moonshine",
  { skip: missingPrograms({ flite: "flite", ffmpeg: "ffmpeg" }) },
  async (t) => {
    const { NODE_EXTRA_CA_CERTS } = process.env;
    await using rig = await speechRig(
      { tts: { provider: "flite" }, stt: { provider: "moonshine" } },
      { ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }) },
    );
    // Installed once for all runs.
    const cache = join(import.meta.dirname, "..", "..", ".test-programs", "moonshine");
    await mkdir(cache, { recursive: true });
    const locked = await withFileLock(
      join(cache, "install"),
      () => installMoonshine({ ...rig.install, folder: cache }, quiet, signal),
      { signal, timeoutMs: 300_000, clock: systemClock },
    );
    if (!locked.ok || !locked.value.ok) return t.skip("the packages of the recogniser cannot be fetched");
    await cp(cache, rig.install.folder, { recursive: true });
    const file = join(rig.folder, "speech.ogg");
    const words = "Please put the kettle on and turn on the light.";
    assert.ok((await rig.speech.speak({ text: words, file }, quiet, signal)).ok);
    const transcript = await rig.transcription.transcribe(await readFile(file), {}, signal);
    assert.ok(transcript.ok, JSON.stringify(transcript));
    assert.equal(transcript.value.text, words);
    return undefined;
  },
);

/** A recogniser whose text is its process and the number of samples. It crashes at three. */
const fakeRecogniser = `exports.OfflineRecognizer = class {
  createStream() { return { acceptWaveform({ samples }) { this.count = samples.length; } }; }
  decode({ count }) { if (count === 3) process.kill(process.pid, "SIGKILL"); }
  getResult({ count }) { return { text: process.pid + " é " + count }; }
};`;

test("the model stays loaded between sounds, and is loaded again after it was killed or idle", async () => {
  await using files = await speechRig({});
  const folder = join(files.folder, "moonshine");
  await mkdir(join(folder, "sherpa-onnx-node"), { recursive: true });
  await writeFile(join(folder, "sherpa-onnx-node", "sherpa-onnx.js"), fakeRecogniser);
  const clock = fakeClock();
  const start = createChildStarter(systemClock);
  await using recogniser = createRecogniser({ folder, start, clock, programEnv: {}, idleMs: 60_000 });
  const sound = (samples: number) => Buffer.alloc(2 * samples);
  const pidOf = async (...parts: readonly Buffer[]): Promise<number> => {
    const text = await recogniser.recognise(parts, signal);
    assert.ok(text.ok, JSON.stringify(text));
    assert.match(text.value, /^\d+ é 100(?: \d+ é 50000)?$/u);
    return Number.parseInt(text.value, 10);
  };
  const first = await pidOf(sound(100), sound(50_000));
  assert.equal(await pidOf(sound(100)), first);
  process.kill(first, "SIGKILL");
  const second = await pidOf(sound(100));
  assert.notEqual(second, first);
  clock.advance(60_001);
  const third = await pidOf(sound(100));
  assert.notEqual(third, second);
  const crashed = await recogniser.recognise([sound(3)], signal);
  assert.ok(!crashed.ok && /moonshine ended with/u.test(crashed.error.message), JSON.stringify(crashed));
  const stop = new AbortController();
  stop.abort();
  const stopped = await recogniser.recognise([sound(100)], stop.signal);
  assert.ok(!stopped.ok && stopped.error.kind === "aborted");
  assert.notEqual(await pidOf(sound(100)), third);
});

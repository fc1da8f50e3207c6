// covers: src/speech, src/tools/speech, src/runtime/speech
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { err, ok } from "../../src/base/result.ts";
import type { GuardedWeb } from "../../src/contracts/safety/web.ts";
import { readWav, secondsOf, writeWav } from "../../src/speech/audio/wav.ts";
import { edgeVoice, timeToken } from "../../src/speech/tts/edge/edge-voice.ts";
import { speechRig } from "../support/speech-rig.ts";
import { acceptSocket, type SpeechCall, startSpeechServer } from "../support/speech-server.ts";
import { missingPrograms } from "../support/system-programs.ts";

const { signal } = new AbortController();
const quiet = () => {};
/** An MP3 frame, enough to be recognised. */
const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
const noPrograms = { PATH: "/nonexistent" };

const jsonOf = (call: SpeechCall | undefined) => JSON.parse(call?.body.toString("utf8") ?? "null") as unknown;

interface ServiceCase {
  readonly provider: string;
  readonly env: Record<string, string>;
  readonly path: string;
  readonly key: readonly [header: string, value: string];
  readonly body: unknown;
  readonly type: string;
  readonly answer: string | Buffer;
  /** Default: the bytes of the answer. */
  readonly sound?: Buffer;
}

const samples = Buffer.alloc(4_800);
const services: readonly ServiceCase[] = [
  {
    provider: "openai",
    env: { VOICE_TOOLS_OPENAI_KEY: "sk-voice", OPENAI_API_KEY: "sk-chat" },
    path: "/audio/speech",
    key: ["authorization", "Bearer sk-voice"],
    body: { model: "gpt-4o-mini-tts", input: "Hello.", voice: "alloy", response_format: "mp3", speed: 1.5 },
    type: "audio/mpeg",
    answer: mp3,
  },
  {
    provider: "elevenlabs",
    env: { ELEVENLABS_API_KEY: "el-key" },
    path: "/v1/text-to-speech/pNInz6obpgDQGcFmaJgB?output_format=mp3_44100_128",
    key: ["xi-api-key", "el-key"],
    body: { text: "Hello.", model_id: "eleven_multilingual_v2", voice_settings: { speed: 1.2 } },
    type: "audio/mpeg",
    answer: mp3,
  },
  {
    provider: "minimax",
    env: { MINIMAX_API_KEY: "mm-key" },
    path: "/v1/t2a_v2",
    key: ["authorization", "Bearer mm-key"],
    body: {
      model: "speech-2.8-hd",
      text: "Hello.",
      stream: false,
      voice_setting: { voice_id: "English_Graceful_Lady", speed: 1.5, vol: 1, pitch: 0 },
      audio_setting: { sample_rate: 32_000, bitrate: 128_000, format: "mp3", channel: 1 },
    },
    type: "application/json",
    answer: JSON.stringify({ data: { audio: mp3.toString("hex"), status: 2 }, base_resp: { status_code: 0 } }),
    sound: mp3,
  },
  {
    provider: "mistral",
    env: { MISTRAL_API_KEY: "mi-key" },
    path: "/audio/speech",
    key: ["authorization", "Bearer mi-key"],
    body: { model: "voxtral-mini-tts-2603", input: "Hello.", voice_id: "en_paul_neutral", response_format: "mp3" },
    type: "application/json",
    answer: JSON.stringify({ audio_data: mp3.toString("base64") }),
    sound: mp3,
  },
  {
    provider: "gemini",
    env: { GEMINI_API_KEY: "ge-key" },
    path: "/v1beta/models/gemini-2.5-flash-preview-tts:generateContent",
    key: ["x-goog-api-key", "ge-key"],
    body: {
      contents: [{ parts: [{ text: "Hello." }] }],
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
      },
    },
    type: "application/json",
    answer: JSON.stringify({
      candidates: [
        {
          content: {
            parts: [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: samples.toString("base64") } }],
          },
        },
      ],
    }),
    sound: writeWav({ sampleRate: 24_000, channels: 1, samples }),
  },
  {
    provider: "xai",
    env: { XAI_API_KEY: "xai-key" },
    path: "/tts",
    key: ["authorization", "Bearer xai-key"],
    body: {
      text: "Hello.",
      voice_id: "eve",
      language: "en",
      output_format: { codec: "mp3", sample_rate: 24_000, bit_rate: 128_000 },
      speed: 1.5,
    },
    type: "audio/mpeg",
    answer: mp3,
  },
];

for (const { provider, env, path, key, body, type, answer, sound } of services) {
  test(`${provider} synthesises speech with its documented request`, async () => {
    await using server = await startSpeechServer((_, response) => {
      response.writeHead(200, { "content-type": type }).end(answer);
    });
    const settings = { tts: { provider, [provider]: { base_url: server.url } } };
    await using rig = await speechRig(settings, { ...noPrograms, ...env });
    const spoken = await rig.speech.speak({ text: "Hello.", speed: 1.5 }, quiet, signal);
    assert.ok(spoken.ok, JSON.stringify(spoken));
    assert.equal(spoken.value.provider, provider);
    const [call] = server.calls;
    assert.equal(call?.method, "POST");
    assert.equal(call.path, path);
    assert.equal(call.headers[key[0]], key[1]);
    assert.deepEqual(jsonOf(call), body);
    assert.deepEqual(await readFile(spoken.value.path), sound ?? answer);
    assert.deepEqual(await rig.speech.targets(), [{ url: server.url }]);
  });

  test(`${provider} reports a wrong key with advice`, async () => {
    await using server = await startSpeechServer((_, response) => {
      response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"Incorrect key"}}');
    });
    await using rig = await speechRig({ tts: { provider, [provider]: { base_url: server.url } } }, env);
    const spoken = await rig.speech.speak({ text: "Hello." }, quiet, signal);
    assert.ok(!spoken.ok);
    assert.equal(spoken.error.kind, "key");
    assert.match(spoken.error.message, new RegExp(`${provider} answered 401: Incorrect key.*config set`, "u"));
  });
}

test("minimax reports a failure that arrives with status 200", async () => {
  await using server = await startSpeechServer((_, response) => {
    const answer = { base_resp: { status_code: 1008, status_msg: "insufficient balance" } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const settings = { tts: { provider: "minimax", minimax: { base_url: server.url } } };
  await using rig = await speechRig(settings, { MINIMAX_API_KEY: "k" });
  const spoken = await rig.speech.speak({ text: "Hello." }, quiet, signal);
  assert.ok(!spoken.ok && /1008: insufficient balance/u.test(spoken.error.message));
});

test("a text over the limit of a service is sent completely, in several requests", async () => {
  await using server = await startSpeechServer((_, response) => {
    response.writeHead(200, { "content-type": "audio/mpeg" }).end(mp3);
  });
  const settings = { tts: { provider: "openai", openai: { base_url: server.url } } };
  await using rig = await speechRig(settings, { ...noPrograms, OPENAI_API_KEY: "k" });
  const text = Array.from({ length: 400 }, (_, index) => `This is sentence ${index}.`).join(" ");
  const spoken = await rig.speech.speak({ text }, quiet, signal);
  assert.ok(spoken.ok, JSON.stringify(spoken));
  const inputs = server.calls.map((call) => (jsonOf(call) as { readonly input: string }).input);
  assert.ok(inputs.length > 1 && inputs.every((input) => input.length <= 4_096 && input.endsWith(".")));
  assert.equal(inputs.join(" "), text);
  assert.equal(spoken.value.pieces, inputs.length);
  assert.equal((await readFile(spoken.value.path)).length, inputs.length * mp3.length);
});

test("edge works over a WebSocket, and retries a refused token with the time of the server", async () => {
  const serverTime = Date.parse("Mon, 17 Nov 2036 10:00:00 GMT");
  const received: string[] = [];
  await using server = await startSpeechServer(
    (_, response) => response.writeHead(404).end(),
    (path, headers, connection) => {
      if (!path.includes(`Sec-MS-GEC=${timeToken(serverTime)}`))
        return void connection.end(
          `HTTP/1.1 403 Forbidden\r\nDate: ${new Date(serverTime).toUTCString()}\r\nContent-Length: 0\r\n\r\n`,
        );
      const send = acceptSocket(headers, connection, (text) => {
        received.push(text);
        if (!text.includes("Path:ssml")) return;
        send.ping();
        send.text("X-RequestId:1\r\nPath:turn.start\r\n\r\n{}");
        const head = Buffer.from("X-RequestId:1\r\nContent-Type:audio/mpeg\r\nPath:audio\r\n");
        const size = Buffer.alloc(2);
        size.writeUInt16BE(head.length);
        send.bytes(Buffer.concat([size, head, mp3]));
        send.text("X-RequestId:1\r\nPath:turn.end\r\n\r\n{}");
      });
      return undefined;
    },
  );
  const settings = { tts: { provider: "edge", edge: { base_url: server.url.replace("http", "ws") } } };
  await using rig = await speechRig(settings, noPrograms);
  const spoken = await rig.speech.speak({ text: "Tom & <Jerry>\u0007.", speed: 0.8 }, quiet, signal);
  assert.ok(spoken.ok, JSON.stringify(spoken));
  assert.deepEqual(await readFile(spoken.value.path), mp3);
  const [configuration = "", document = ""] = received;
  assert.match(configuration, /audio-24khz-48kbitrate-mono-mp3/u);
  assert.match(document, /<voice name='en-US-AriaNeural'><prosody [^>]*rate='-20%'[^>]*>Tom &amp; &lt;Jerry&gt; \.</u);
});

test("edge connects only to addresses that the guard returns, and not if the guard refuses", async () => {
  let connections = 0;
  await using server = await startSpeechServer(
    (_, response) => response.end(),
    (_path, _headers, connection) => {
      connections++;
      connection.end("HTTP/1.1 418 Teapot\r\nContent-Length: 0\r\n\r\n");
    },
  );
  const { port } = new URL(server.url);
  const edge = { base_url: `ws://voices.example.org:${port}/`, voice: "en-US-AriaNeural", speed: 1 };
  const speak = async (checked: Awaited<ReturnType<GuardedWeb["check"]>>) => {
    const web: GuardedWeb = { fetch: () => assert.fail("edge fetches nothing"), check: async () => checked };
    const voice = edgeVoice({ edge, speed: 1 }, { clock: systemClock, env: {}, web: async () => web });
    const spoken = await voice.speak({ text: "Hello." }, signal);
    return spoken.ok ? spoken : spoken.error;
  };
  assert.deepEqual(await speak(err({ kind: "blocked", message: "a private address" })), {
    kind: "blocked",
    message: "a private address",
  });
  assert.equal(connections, 0);
  const answered = await speak(ok(["127.0.0.1"]));
  assert.equal("status" in answered && answered.status, 418, JSON.stringify(answered));
});

test("an unreachable edge service is reported", async () => {
  const settings = { tts: { provider: "edge", edge: { base_url: "ws://127.0.0.1:1/" } } };
  await using rig = await speechRig(settings);
  const spoken = await rig.speech.speak({ text: "Hello." }, quiet, signal);
  assert.ok(!spoken.ok && /edge cannot be reached.*Check the network/u.test(spoken.error.message));
});

test("a command of the user synthesises speech; the text is never part of the command line", async () => {
  const command = `test {format} = wav && cp "$SOUND" {output_path} && cat {text_path} > "$NOTE" && printf '%s' {voice} >> "$NOTE"`;
  const settings = {
    tts: { provider: "mine", providers: { mine: { command, output_format: "wav", voice: "$(touch x)" } } },
  };
  await using files = await speechRig({});
  const [sound, note] = [join(files.folder, "sound.wav"), join(files.folder, "note")];
  await writeFile(sound, writeWav({ sampleRate: 16_000, channels: 1, samples }));
  await using rig = await speechRig(settings, { SOUND: sound, NOTE: note });
  const file = join(rig.folder, "out.wav");
  const spoken = await rig.speech.speak({ text: "'; touch y; '", file }, quiet, signal);
  assert.ok(spoken.ok, JSON.stringify(spoken));
  assert.equal(await readFile(note, "utf8"), "'; touch y; '$(touch x)");
  assert.deepEqual(await readFile(file), await readFile(sound));
  assert.deepEqual(await rig.speech.targets(), []);
});

test("a failed command is reported with its own output", async () => {
  const settings = { tts: { provider: "mine", providers: { mine: { command: "echo no voice model >&2; exit 3" } } } };
  await using rig = await speechRig(settings);
  const spoken = await rig.speech.speak({ text: "Hello." }, quiet, signal);
  assert.ok(!spoken.ok && /mine failed \(exit code 3\): no voice model/u.test(spoken.error.message));
});

test("a speech backend of a plugin works", async () => {
  const backend = {
    name: "speech:parrot",
    kind: "speech",
    id: "parrot",
    title: "Parrot",
    isAvailable: async () => true,
    run: async () => ok({ base64: mp3.toString("base64"), mime_type: "audio/mpeg" }),
  } as const;
  await using rig = await speechRig({ tts: { provider: "parrot" } }, noPrograms, [backend]);
  const spoken = await rig.speech.speak({ text: "Hello." }, quiet, signal);
  assert.ok(spoken.ok && spoken.value.provider === "parrot");
});

/** A module that writes the texts that it gets as the samples of a sound. */
const soundfile =
  "import wave\ndef write(path, sound, rate, subtype):\n  data = '|'.join(sound).encode()\n  with wave.open(path, 'wb') as w:\n    w.setnchannels(1); w.setsampwidth(2); w.setframerate(rate); w.writeframes(data + b' ' * (100 - len(data) % 2))\n";

test(
  "kittentts runs in Python and reads its task from standard input",
  { skip: missingPrograms({ python3: "python3" }) },
  async () => {
    await using files = await speechRig({});
    const modules = join(files.folder, "modules");
    await mkdir(modules);
    await writeFile(
      join(modules, "kittentts.py"),
      "class KittenTTS:\n  def __init__(self, model): self.model = model\n  def generate(self, text, voice, speed): return [self.model, text, voice, str(speed)]\n",
    );
    await writeFile(join(modules, "soundfile.py"), soundfile);
    const settings = { tts: { provider: "kittentts", output_format: "wav" } };
    await using rig = await speechRig(settings, { PYTHONPATH: modules });
    const spoken = await rig.speech.speak({ text: 'It\'s "me".' }, quiet, signal);
    assert.ok(spoken.ok, JSON.stringify(spoken));
    const words = (await readFile(spoken.value.path)).toString("utf8", 44);
    assert.match(words, /^KittenML\/kitten-tts-nano-0\.8-int8\|It's "me"\.\|Jasper\|1/u);
  },
);

test(
  "neutts imitates a recording, and asks for one that is missing",
  { skip: missingPrograms({ python3: "python3" }) },
  async () => {
    await using files = await speechRig({});
    const modules = join(files.folder, "modules");
    await mkdir(modules);
    await writeFile(
      join(modules, "neutts.py"),
      "class NeuTTS:\n  def __init__(self, backbone_repo, backbone_device, codec_repo, codec_device): self.parts = [backbone_repo, codec_repo]\n  def encode_reference(self, path): return 'codes of ' + path\n  def infer(self, text, codes, words): return [*self.parts, text, codes, words]\n",
    );
    await writeFile(join(modules, "soundfile.py"), soundfile);
    await writeFile(join(files.folder, "words.txt"), "My voice is my passport.\n");
    const neutts = { ref_audio: "/voices/me.wav", ref_text: join(files.folder, "words.txt") };
    await using rig = await speechRig(
      { tts: { provider: "neutts", output_format: "wav", neutts } },
      { PYTHONPATH: modules },
    );
    const spoken = await rig.speech.speak({ text: "Good morning." }, quiet, signal);
    assert.ok(spoken.ok, JSON.stringify(spoken));
    assert.match(
      (await readFile(spoken.value.path)).toString("utf8", 44),
      /^neuphonic\/neutts-air-q4-gguf\|neuphonic\/neucodec\|Good morning\.\|codes of \/voices\/me\.wav\|My voice is my passport\. /u,
    );
    await using bare = await speechRig({ tts: { provider: "neutts" } }, { PYTHONPATH: modules });
    const refused = await bare.speech.speak({ text: "Good morning." }, quiet, signal);
    assert.ok(!refused.ok && /set tts\.neutts\.ref_audio and tts\.neutts\.ref_text/u.test(refused.error.message));
  },
);

/** Accepts only options that all versions of piper have, reads standard input and writes what it got. */
const fakePiper = `#!/usr/bin/env python3
import argparse, sys, wave
parser = argparse.ArgumentParser(allow_abbrev=False)
for name in ("--model", "--output_file", "--length_scale"):
    parser.add_argument(name, required=True)
parser.add_argument("--data-dir")
order = parser.parse_args()
data = "|".join([order.model, order.length_scale, str(order.data_dir), sys.stdin.read()]).encode()
with wave.open(order.output_file, "wb") as sound:
    sound.setnchannels(1); sound.setsampwidth(2); sound.setframerate(22050)
    sound.writeframes(data + b" " * (100 - len(data) % 2))
`;

test(
  "piper gets a voice of the folder as a path, and any other voice by its name",
  { skip: missingPrograms({ python3: "python3" }) },
  async () => {
    await using files = await speechRig({});
    const [bin, voices] = [join(files.folder, "bin"), join(files.folder, "voices")];
    for (const folder of [bin, voices]) await mkdir(folder);
    await writeFile(join(bin, "piper"), fakePiper, { mode: 0o755 });
    await writeFile(join(voices, "de_DE-thorsten-medium.onnx"), "voice");
    const receivedBy = async (voice: string, text: string): Promise<string> => {
      const piper = { voice, voices_dir: voices, speed: 2 };
      await using rig = await speechRig(
        { tts: { provider: "piper", output_format: "wav", piper } },
        { PATH: `${bin}:${process.env["PATH"]}` },
      );
      const spoken = await rig.speech.speak({ text }, quiet, signal);
      assert.ok(spoken.ok, JSON.stringify(spoken));
      return (await readFile(spoken.value.path)).toString("utf8", 44).trimEnd();
    };
    const path = join(voices, "de_DE-thorsten-medium.onnx");
    assert.equal(await receivedBy("de_DE-thorsten-medium", "Grüße,\nWelt."), `${path}|0.5|None|Grüße, Welt.`);
    assert.equal(await receivedBy("en_US-lessac-medium", "Hello."), `en_US-lessac-medium|0.5|${voices}|Hello.`);
  },
);

const programs = missingPrograms({ flite: "flite", "espeak-ng": "espeak-ng", ffmpeg: "ffmpeg" });

test("flite and espeak-ng work without a network, in every format", { skip: programs }, async () => {
  for (const provider of ["flite", "espeak-ng"]) {
    await using rig = await speechRig({ tts: { provider } });
    for (const extension of ["mp3", "wav", "ogg"]) {
      const file = join(rig.folder, `speech.${extension}`);
      const spoken = await rig.speech.speak({ text: "The tea is hot.", file }, quiet, signal);
      assert.ok(spoken.ok, JSON.stringify(spoken));
      assert.equal(spoken.value.isVoiceMessage, extension === "ogg");
      const args = ["-v", "error", "-show_entries", "stream=codec_name:format=duration", "-of", "csv=p=0", file];
      const probed = execFileSync("ffprobe", args, { encoding: "utf8" });
      assert.match(probed, { mp3: /^mp3/u, wav: /^pcm_s16le/u, ogg: /^opus/u }[extension] ?? /^$/u);
      assert.ok(Number(probed.split("\n")[1]) > 0.5);
    }
  }
});

/** A command that writes one second of silence. */
async function secondOfSilence(more: Readonly<Record<string, unknown>>) {
  const files = await speechRig({});
  const sound = join(files.folder, "second.wav");
  await writeFile(sound, writeWav({ sampleRate: 16_000, channels: 1, samples: Buffer.alloc(32_000) }));
  const silent = { command: `cp "$SOUND" {output_path}`, output_format: "wav", max_text_length: 20 };
  const rig = await speechRig({ tts: { provider: "silent", providers: { silent }, ...more } }, { SOUND: sound });
  return {
    rig,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}

test("parts of a long text are joined into one audio file", { skip: programs }, async () => {
  await using scene = await secondOfSilence({ output_format: "wav" });
  const text = "Three words here. Three words more. Three words last.";
  const spoken = await scene.rig.speech.speak({ text }, quiet, signal);
  assert.ok(spoken.ok && spoken.value.pieces === 3, JSON.stringify(spoken));
  const wave = readWav(await readFile(spoken.value.path));
  assert.equal(wave && Math.round(secondsOf(wave)), 3);
});

test("if a service cannot be reached, a program on this machine is used", { skip: programs }, async () => {
  const settings = { tts: { openai: { base_url: "http://127.0.0.1:1" } } };
  await using rig = await speechRig(settings, { OPENAI_API_KEY: "k" });
  const spoken = await rig.speech.speak({ text: "Hello." }, quiet, signal);
  assert.ok(spoken.ok && spoken.value.provider === "flite");
  assert.match(spoken.value.skipped.join(), /openai cannot be reached/u);
});

test("the audio cache respects its limit", async () => {
  await using scene = await secondOfSilence({ output_format: "wav", cache_mb: 1 });
  const folder = join(scene.rig.home, "audio_cache");
  await mkdir(folder, { recursive: true });
  const old = join(folder, "tts_20200101_000000_abcdef.wav");
  await writeFile(old, Buffer.alloc(1_000_000));
  await writeFile(join(folder, "notes.txt"), Buffer.alloc(2_000_000));
  const spoken = await scene.rig.speech.speak({ text: "Hello." }, quiet, signal);
  assert.ok(spoken.ok);
  assert.deepEqual((await readdir(folder)).toSorted(), ["notes.txt", basename(spoken.value.path)].toSorted());
});

test("an unknown provider is reported, with the nearest name", async () => {
  await using rig = await speechRig({ tts: { provider: "elevenlab" } });
  const spoken = await rig.speech.speak({ text: "Hello." }, quiet, signal);
  assert.ok(!spoken.ok && /did you mean elevenlabs\?/u.test(spoken.error.message));
});

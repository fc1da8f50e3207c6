import { readFile } from "node:fs/promises";

import { isObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { SoundFormat } from "../../contracts/speech/speech.ts";
import { type ApiAnswer, type ApiCall, callApi, type CallFault } from "../../contracts/web/call-api.ts";
import { writeWav } from "../audio/wav.ts";
import { type ServiceAddress, serviceAccess } from "../service-access.ts";
import type { TtsSettings } from "../settings.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import { clamp, type Sound, type SpeechPiece, speedOf, type VoiceProvider } from "./voice-provider.ts";

/** One service with an HTTP API. */
interface ServiceRow extends ServiceAddress {
  readonly maxChars: number;
  request(
    piece: SpeechPiece,
    key: string,
  ): Promise<Result<Pick<ApiCall, "json" | "headers"> & { readonly path: string }>>;
  sound(answer: ApiAnswer): Result<Sound>;
}

/** The services with a key, in the order in which Hermes prefers them. */
export function speechServices(settings: TtsSettings, deps: SpeechDeps): readonly VoiceProvider[] {
  return rowsOf(settings).map((row) => serviceOf(row, deps));
}

function serviceOf(row: ServiceRow, deps: SpeechDeps): VoiceProvider {
  const { base, keyVar, isNamedBySettings, key: keyOf, missing } = serviceAccess(row, deps);
  return {
    name: row.name,
    maxChars: row.maxChars,
    targets: [{ url: base }],
    isChosenAlone: true,
    missing: async () => missing(),
    async speak(piece, signal) {
      const key = keyOf();
      if (key === undefined) return fault("key", `${row.name} needs a key: hermes config set ${keyVar} …`);
      const request = await row.request(piece, key);
      if (!request.ok) return fault("refused", request.error.message);
      const { path, ...call } = request.value;
      const answered = await callApi(
        await deps.web(),
        {
          service: row.name,
          url: `${base}${path}`,
          ...call,
          keyVar,
          isNamedBySettings,
          timeoutMs: requestMs,
          maxBytes: maxAnswerBytes,
        },
        signal,
      );
      if (!answered.ok) return answered;
      const sound = row.sound(answered.value);
      if (!sound.ok) return fault("refused", `${row.name}: ${sound.error.message}`);
      return sound.value.bytes.length === 0 ? fault("unavailable", `${row.name} sent no sound.`) : sound;
    },
  };
}

const requestMs = 120_000;
const maxAnswerBytes = 100 * 2 ** 20;

function fault(kind: CallFault["kind"], message: string): { readonly ok: false; readonly error: CallFault } {
  return err({ kind, message });
}

function rowsOf(settings: TtsSettings): readonly ServiceRow[] {
  const { elevenlabs, openai, minimax, mistral, gemini, xai } = settings;
  return [
    {
      name: "elevenlabs",
      keyVars: ["ELEVENLABS_API_KEY"],
      maxChars: elevenLabsChars(elevenlabs.model_id),
      baseUrl: "https://api.elevenlabs.io",
      ownUrl: elevenlabs.base_url,
      async request({ text, voice = elevenlabs.voice_id, ...piece }, key) {
        const speed = clamp(speedOf(piece, elevenlabs.speed, settings.speed), 0.7, 1.2);
        return ok({
          path: `/v1/text-to-speech/${encodeURIComponent(voice)}?output_format=mp3_44100_128`,
          headers: { "xi-api-key": key, accept: "audio/mpeg" },
          json: { text, model_id: elevenlabs.model_id, ...(speed !== 1 && { voice_settings: { speed } }) },
        });
      },
      sound: bodyAs("mp3"),
    },
    {
      name: "openai",
      keyVars: ["VOICE_TOOLS_OPENAI_KEY", "OPENAI_API_KEY"],
      maxChars: 4_096,
      baseUrl: "https://api.openai.com/v1",
      ownUrl: openai.base_url,
      async request({ text, voice = openai.voice, instructions, ...piece }, key) {
        const speed = clamp(speedOf(piece, openai.speed, settings.speed), 0.25, 4);
        // Older models reject instructions.
        const isGuided = instructions !== undefined && !openai.model.startsWith("tts-1");
        return ok({
          path: "/audio/speech",
          headers: { authorization: `Bearer ${key}`, accept: "audio/mpeg" },
          json: {
            model: openai.model,
            input: text,
            voice,
            response_format: "mp3",
            ...(speed !== 1 && { speed }),
            ...(isGuided && { instructions }),
          },
        });
      },
      sound: bodyAs("mp3"),
    },
    {
      name: "minimax",
      keyVars: ["MINIMAX_API_KEY"],
      maxChars: 10_000,
      baseUrl: "https://api.minimax.io",
      ownUrl: minimax.base_url,
      async request({ text, voice = minimax.voice_id, ...piece }, key) {
        const speed = clamp(speedOf(piece, minimax.speed, settings.speed), 0.5, 2);
        return ok({
          path: "/v1/t2a_v2",
          headers: { authorization: `Bearer ${key}` },
          json: {
            model: minimax.model,
            text,
            stream: false,
            voice_setting: { voice_id: voice, speed, vol: 1, pitch: 0 },
            audio_setting: { sample_rate: 32_000, bitrate: 128_000, format: "mp3", channel: 1 },
          },
        });
      },
      sound: minimaxSound,
    },
    {
      name: "mistral",
      keyVars: ["MISTRAL_API_KEY"],
      maxChars: 4_000,
      baseUrl: "https://api.mistral.ai/v1",
      ownUrl: mistral.base_url,
      request: async ({ text, voice = mistral.voice_id }, key) =>
        ok({
          path: "/audio/speech",
          headers: { authorization: `Bearer ${key}` },
          json: { model: mistral.model, input: text, voice_id: voice, response_format: "mp3" },
        }),
      sound(answer) {
        const body = answer.json();
        const data = isObject(body) ? body["audio_data"] : undefined;
        return typeof data === "string"
          ? ok({ bytes: Buffer.from(data, "base64"), format: "mp3" })
          : err({ message: "its answer has no audio_data" });
      },
    },
    {
      name: "gemini",
      keyVars: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
      maxChars: 32_000,
      baseUrl: "https://generativelanguage.googleapis.com",
      ownUrl: gemini.base_url,
      async request({ text, voice = gemini.voice, instructions }, key) {
        const persona = await personaOf(gemini.persona_prompt_file);
        if (!persona.ok) return persona;
        const spoken = gemini.audio_tags ? text : text.replaceAll(/\[[a-z][a-z ,'-]{0,40}\]\s*/giu, "");
        const prompt = [persona.value, instructions ?? "", spoken].filter((part) => part !== "").join("\n\n");
        const voiceConfig = { prebuiltVoiceConfig: { voiceName: voice } };
        return ok({
          path: `/v1beta/models/${encodeURIComponent(gemini.model)}:generateContent`,
          headers: { "x-goog-api-key": key },
          json: {
            contents: [{ parts: [{ text: prompt }] }],
            generationConfig: { responseModalities: ["AUDIO"], speechConfig: { voiceConfig } },
          },
        });
      },
      sound: geminiSound,
    },
    {
      name: "xai",
      keyVars: ["XAI_API_KEY"],
      maxChars: 15_000,
      baseUrl: "https://api.x.ai/v1",
      ownUrl: xai.base_url,
      async request({ text, voice = xai.voice_id, ...piece }, key) {
        const speed = clamp(speedOf(piece, xai.speed, settings.speed), 0.5, 2);
        const { language, sample_rate } = xai;
        return ok({
          path: "/tts",
          headers: { authorization: `Bearer ${key}`, accept: "audio/mpeg" },
          json: {
            text,
            voice_id: voice,
            language,
            output_format: { codec: "mp3", sample_rate, bit_rate: 128_000 },
            ...(speed !== 1 && { speed }),
          },
        });
      },
      sound: bodyAs("mp3"),
    },
  ];
}

/** The maximum number of characters per request, as documented by ElevenLabs for its models. */
function elevenLabsChars(model: string): number {
  if (/^eleven_(?:flash|turbo)_v2_5$/u.test(model)) return 40_000;
  if (/^eleven_(?:flash|turbo)_v2$/u.test(model)) return 30_000;
  return /^eleven_(?:multilingual|monolingual|english_sts)_v\d$/u.test(model) ? 10_000 : 5_000;
}

/** The body is the audio itself. A text instead is an error message. */
function bodyAs(format: SoundFormat): (answer: ApiAnswer) => Result<Sound> {
  return ({ body, headers }) =>
    /^(?:text|application\/json)/u.test(headers["content-type"] ?? "")
      ? err({ message: "it sent a text in place of sound" })
      : ok({ bytes: body, format });
}

function minimaxSound(answer: ApiAnswer): Result<Sound> {
  const body = answer.json();
  if (!isObject(body)) return err({ message: "its answer is not JSON" });
  const { data, base_resp: status } = body;
  if (isObject(status) && status["status_code"] !== 0 && status["status_code"] !== undefined)
    return err({ message: `it answered ${JSON.stringify(status["status_code"])}: ${textOr(status["status_msg"])}` });
  const audio = isObject(data) ? data["audio"] : undefined;
  if (typeof audio !== "string" || !/^(?:[0-9a-f]{2})+$/iu.test(audio))
    return err({ message: "its answer has no audio" });
  return ok({ bytes: Buffer.from(audio, "hex"), format: "mp3" });
}

/** Samples without a header, whose rate is in their type. */
function geminiSound(answer: ApiAnswer): Result<Sound> {
  const inline = findInline(answer.json(), 0);
  if (!inline) return err({ message: "its answer has no audio" });
  const samples = Buffer.from(inline.data, "base64");
  if (!/^audio\/(?:l16|pcm)/iu.test(inline.mimeType))
    return ok({ bytes: samples, format: /mpeg|mp3/u.test(inline.mimeType) ? "mp3" : "wav" });
  const sampleRate = Number(/rate=(\d{4,6})/u.exec(inline.mimeType)?.[1] ?? 24_000);
  return ok({ bytes: writeWav({ sampleRate, channels: 1, samples }), format: "wav" });
}

function findInline(value: unknown, depth: number): { readonly mimeType: string; readonly data: string } | undefined {
  if (depth > 6) return undefined;
  if (Array.isArray(value)) {
    for (const item of value) {
      const inline = findInline(item, depth + 1);
      if (inline) return inline;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { inlineData } = value;
  if (isObject(inlineData) && typeof inlineData["data"] === "string")
    return { mimeType: textOr(inlineData["mimeType"]), data: inlineData["data"] };
  return (
    findInline(value["candidates"], depth + 1) ??
    findInline(value["content"], depth + 1) ??
    findInline(value["parts"], depth + 1)
  );
}

async function personaOf(file: string): Promise<Result<string>> {
  if (file === "") return ok("");
  try {
    return ok((await readFile(file, "utf8")).slice(0, maxPersonaChars).trim());
  } catch (thrown) {
    return err({ message: `tts.gemini.persona_prompt_file: ${reasonOf(thrown)}` });
  }
}

const maxPersonaChars = 20_000;

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

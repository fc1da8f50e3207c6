import { z } from "zod";

import { setting } from "./setting.ts";

const text = (description: string, value = "") => setting(z.string().max(2_000).default(value), description);
const ownSpeed = setting(
  z.number().min(0).max(4).default(0),
  "Speed of the voice of this provider. 0: use `tts.speed`.",
);
const address = (description: string) => text(`${description} Empty: the default of the service.`);

const seconds = (value: number, description: string) =>
  setting(z.number().min(1).max(3_600).default(value), description);

export const tts = setting(
  z.object({
    provider: text(
      "The speech provider: edge, openai, elevenlabs, minimax, xai, mistral, gemini, piper, kittentts, neutts, flite, espeak-ng, a name of `tts.providers` or of a plugin. Empty: the first service with a key, else a local program, else edge.",
    ),
    speed: setting(z.number().min(0.25).max(4).default(1), "Speed of speech."),
    output_format: setting(
      z.enum(["auto", "mp3", "wav", "ogg"]).default("auto"),
      "Format of saved speech. ogg is Opus, for voice messages. auto: mp3 if ffmpeg or the service writes it, else wav.",
    ),
    cache_mb: setting(
      z.int().min(1).max(100_000).default(200),
      "Size limit of `audio_cache` in the home. The oldest files are deleted.",
    ),
    edge: setting(
      z.object({
        voice: text("Its voice.", "en-US-AriaNeural"),
        base_url: address("Another address (wss:// or ws://)."),
        speed: ownSpeed,
      }),
      "Voices of Microsoft Edge, without a key.",
    ),
    openai: setting(
      z.object({
        model: text("Its model.", "gpt-4o-mini-tts"),
        voice: text("Its voice.", "alloy"),
        base_url: address("A server with the same API."),
        speed: ownSpeed,
      }),
      "OpenAI. Key: VOICE_TOOLS_OPENAI_KEY, else OPENAI_API_KEY.",
    ),
    elevenlabs: setting(
      z.object({
        voice_id: text("Its voice.", "pNInz6obpgDQGcFmaJgB"),
        model_id: text("Its model.", "eleven_multilingual_v2"),
        base_url: address("Another address."),
        speed: ownSpeed,
      }),
      "ElevenLabs. Key: ELEVENLABS_API_KEY.",
    ),
    minimax: setting(
      z.object({
        model: text("Its model.", "speech-2.8-hd"),
        voice_id: text("Its voice.", "English_Graceful_Lady"),
        base_url: address("Another address."),
        speed: ownSpeed,
      }),
      "MiniMax. Key: MINIMAX_API_KEY.",
    ),
    mistral: setting(
      z.object({
        model: text("Its model.", "voxtral-mini-tts-2603"),
        voice_id: text("Its voice.", "en_paul_neutral"),
        base_url: address("Another address."),
      }),
      "Mistral. Key: MISTRAL_API_KEY.",
    ),
    gemini: setting(
      z.object({
        model: text("Its model.", "gemini-2.5-flash-preview-tts"),
        voice: text("Its voice.", "Kore"),
        audio_tags: setting(
          z.boolean().default(false),
          "Keep tags such as [whispers] in the text, which Gemini performs. false: remove them.",
        ),
        persona_prompt_file: text("A text file that describes the speaker, sent before each text."),
        base_url: address("Another address."),
      }),
      "Google Gemini. Key: GEMINI_API_KEY, else GOOGLE_API_KEY.",
    ),
    xai: setting(
      z.object({
        voice_id: text("Its voice.", "eve"),
        language: text("Its language, or auto.", "en"),
        sample_rate: setting(z.int().min(8_000).max(48_000).default(24_000), "Samples per second."),
        base_url: address("Another address."),
        speed: ownSpeed,
      }),
      "xAI. Key: XAI_API_KEY.",
    ),
    piper: setting(
      z.object({
        voice: text("A voice that piper has downloaded, or the path of its .onnx file.", "en_US-lessac-medium"),
        voices_dir: text("The folder of downloaded voices. Empty: the default of piper."),
        speed: ownSpeed,
      }),
      "The program `piper` on this machine.",
    ),
    kittentts: setting(
      z.object({
        model: text("Its model.", "KittenML/kitten-tts-nano-0.8-int8"),
        voice: text("Its voice.", "Jasper"),
        python: text("A Python with the package `kittentts`.", "python3"),
        speed: ownSpeed,
      }),
      "The Python package kittentts on this machine.",
    ),
    neutts: setting(
      z.object({
        model: text("Its model.", "neuphonic/neutts-air-q4-gguf"),
        ref_audio: text("A recording of the voice to imitate (wav). Required."),
        ref_text: text("The words of that recording, or the path of a text file with them. Required."),
        python: text("A Python with the package `neutts`.", "python3"),
      }),
      "The Python package neutts on this machine.",
    ),
    flite: setting(
      z.object({ voice: text("slt, rms, awb or kal.", "slt"), speed: ownSpeed }),
      "The program `flite` on this machine. English, without a network.",
    ),
    espeak: setting(
      z.object({ voice: text("A language or voice of `espeak-ng --voices`.", "en"), speed: ownSpeed }),
      "The program `espeak-ng` on this machine. Many languages, without a network.",
    ),
    providers: setting(
      z.record(
        z.string().regex(/^[a-z0-9][a-z0-9_-]{0,40}$/u),
        z.object({
          type: setting(z.string().max(20).default("command"), "Its kind: command, a program of this machine."),
          command: setting(
            z.string().max(8_000).default(""),
            "A shell command that writes speech to {output_path}. It may use {input_path} or {text_path} (a file with the text), {format}, {voice}, {model} and {speed}; Hermes quotes the values.",
          ),
          timeout: seconds(120, "Seconds that it may run."),
          output_format: setting(z.enum(["mp3", "wav", "ogg", "flac"]).default("mp3"), "The format that it writes."),
          voice_compatible: setting(z.boolean().default(false), "Its output can be sent as a voice message."),
          max_text_length: setting(
            z.int().min(1).max(1_000_000).default(5_000),
            "Maximum characters per run of the program. A longer text is split at sentences.",
          ),
          voice: text("The value of {voice}."),
          model: text("The value of {model}."),
        }),
      ),
      "Your own speech programs, by name.",
    ),
  }),
  "Text to speech.",
);

export const stt = setting(
  z.object({
    enabled: setting(z.boolean().default(true), "Turn spoken messages into text."),
    provider: text(
      "The transcription provider: moonshine, local, local_command, groq, openai, mistral, xai, a name of `stt.providers` or of a plugin. Empty: the first one available on this machine, in this order.",
    ),
    language: text("The language of the speech, such as en or de. Empty: the provider detects it."),
    local: setting(
      z.object({
        model: text("tiny, base, small, medium, large-v3 or the path of a model.", "base"),
        python: text("A Python with the package `faster_whisper`.", "python3"),
      }),
      "faster-whisper or whisper.cpp on this machine.",
    ),
    groq: setting(
      z.object({ model: text("Its model.", "whisper-large-v3-turbo"), base_url: address("Another address.") }),
      "Groq. Key: GROQ_API_KEY.",
    ),
    openai: setting(
      z.object({ model: text("Its model.", "whisper-1"), base_url: address("A server with the same API.") }),
      "OpenAI. Key: VOICE_TOOLS_OPENAI_KEY, else OPENAI_API_KEY.",
    ),
    mistral: setting(
      z.object({ model: text("Its model.", "voxtral-mini-latest"), base_url: address("Another address.") }),
      "Mistral. Key: MISTRAL_API_KEY.",
    ),
    xai: setting(z.object({ base_url: address("Another address.") }), "xAI. Key: XAI_API_KEY."),
    providers: setting(
      z.record(
        z.string().regex(/^[a-z0-9][a-z0-9_-]{0,40}$/u),
        z.object({
          type: setting(z.string().max(20).default("command"), "Its kind: command, a program of this machine."),
          command: setting(
            z.string().max(8_000).default(""),
            "A shell command that reads speech from {input_path} and writes its text to {output_path} or {output_dir}, or prints it. It may use {format}, {language} and {model}; Hermes quotes the values.",
          ),
          timeout: seconds(300, "Seconds that it may run."),
          format: setting(z.enum(["txt", "json", "srt", "vtt"]).default("txt"), "The format of its text."),
          language: text("The value of {language}.", "en"),
          model: text("The value of {model}."),
        }),
      ),
      "Your own transcription programs, by name.",
    ),
  }),
  "Speech to text.",
);

export const voice = setting(
  z.object({
    record_key: text("The key that starts and stops listening while voice is on, such as ctrl+b or f9.", "ctrl+b"),
    auto_tts: setting(z.boolean().default(false), "`/voice on` also speaks the answers."),
    beep_enabled: setting(z.boolean().default(true), "Beeps when listening starts and stops."),
    silence_threshold: setting(
      z.int().min(1).max(32_767).default(200),
      "Loudness (RMS of 16-bit samples) above which sound counts as speech.",
    ),
    silence_duration: setting(z.number().min(0.3).max(30).default(3), "Seconds of silence that end a recording."),
    max_recording_seconds: setting(z.int().min(1).max(600).default(120), "Seconds after which a recording ends."),
    recorder: text(
      "A shell command that prints 16-bit mono samples (little endian, 16,000 each second) of the microphone. Empty: arecord, parec, sox or ffmpeg.",
    ),
    player: text("A shell command that plays the file {input_path}. Empty: aplay, paplay, ffplay, afplay or mpv."),
  }),
  "Voice at the terminal (`/voice`).",
);

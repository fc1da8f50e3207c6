import type { SoundFormat } from "../contracts/speech/speech.ts";

interface Paced {
  /** 0 means the value of the setting for all services. */
  readonly speed: number;
}

interface Served {
  /** If empty, the service's own default is used. */
  readonly base_url: string;
}

/** The section `tts` of the settings. */
export interface TtsSettings {
  readonly provider: string;
  readonly speed: number;
  readonly output_format: "auto" | "mp3" | "wav" | "ogg";
  readonly cache_mb: number;
  readonly edge: Paced & Served & { readonly voice: string };
  readonly openai: Paced & Served & { readonly model: string; readonly voice: string };
  readonly elevenlabs: Paced & Served & { readonly voice_id: string; readonly model_id: string };
  readonly minimax: Paced & Served & { readonly model: string; readonly voice_id: string };
  readonly mistral: Served & { readonly model: string; readonly voice_id: string };
  readonly gemini: Served & {
    readonly model: string;
    readonly voice: string;
    readonly audio_tags: boolean;
    readonly persona_prompt_file: string;
  };
  readonly xai: Paced & Served & { readonly voice_id: string; readonly language: string; readonly sample_rate: number };
  readonly piper: Paced & { readonly voice: string; readonly voices_dir: string };
  readonly kittentts: Paced & { readonly model: string; readonly voice: string; readonly python: string };
  readonly neutts: {
    readonly model: string;
    readonly ref_audio: string;
    readonly ref_text: string;
    readonly python: string;
  };
  readonly flite: Paced & { readonly voice: string };
  readonly espeak: Paced & { readonly voice: string };
  readonly providers: Readonly<Record<string, SpeakingCommand>>;
}

export interface SpeakingCommand {
  readonly command: string;
  readonly timeout: number;
  readonly output_format: SoundFormat;
  readonly voice_compatible: boolean;
  readonly max_text_length: number;
  readonly voice: string;
  readonly model: string;
}

/** The section `stt` of the settings. */
export interface SttSettings {
  readonly enabled: boolean;
  readonly provider: string;
  readonly language: string;
  readonly local: { readonly model: string; readonly python: string };
  readonly groq: Served & { readonly model: string };
  readonly openai: Served & { readonly model: string };
  readonly mistral: Served & { readonly model: string };
  readonly xai: Served;
  readonly providers: Readonly<Record<string, ListeningCommand>>;
}

export interface ListeningCommand {
  readonly command: string;
  readonly timeout: number;
  readonly format: "txt" | "json" | "srt" | "vtt";
  readonly language: string;
  readonly model: string;
}

/** The section `voice` of the settings. */
export interface VoiceSettings {
  readonly record_key: string;
  readonly auto_tts: boolean;
  readonly beep_enabled: boolean;
  readonly silence_threshold: number;
  readonly silence_duration: number;
  readonly max_recording_seconds: number;
  readonly recorder: string;
  readonly player: string;
}

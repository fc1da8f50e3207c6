import type { Result } from "../../base/result.ts";
import type { ServiceTarget } from "../tool/effect.ts";
import type { CallFault } from "../web/call-api.ts";

/** Audio formats that Hermes writes. `ogg` is Opus, the format of voice messages in chats. */
export const soundFormats = ["mp3", "wav", "ogg", "flac"] as const;
export type SoundFormat = (typeof soundFormats)[number];

export interface SpeechRequest {
  readonly text: string;
  /** Default: as the settings choose. */
  readonly provider?: string;
  readonly voice?: string;
  /** 0.25 to 4. Default: the setting. */
  readonly speed?: number;
  /** Instructions how to speak, for providers that support them. */
  readonly instructions?: string;
  /** Default: the setting. */
  readonly format?: SoundFormat;
  /** Where to save it. Default: the audio cache of the home, which is bounded. */
  readonly file?: string;
}

export interface SpokenFile {
  readonly path: string;
  readonly provider: string;
  readonly format: SoundFormat;
  /** A chat can show it as a voice message. */
  readonly isVoiceMessage: boolean;
  /** Requests that the text was split into. */
  readonly pieces: number;
  /** Providers that were tried before, and why they failed. */
  readonly skipped: readonly string[];
}

/** Turns text into speech with the provider that the settings or the request name. */
export interface Speech {
  /** A text over the limit of the provider is split at sentences and joined again. Never rejects. */
  speak(
    request: SpeechRequest,
    progress: (note: string) => void,
    signal: AbortSignal,
  ): Promise<Result<SpokenFile, CallFault>>;
  /** The servers that would receive the text. Empty: it stays on this machine. */
  targets(provider?: string): Promise<readonly ServiceTarget[]>;
}

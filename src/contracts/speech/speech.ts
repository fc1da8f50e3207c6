import type { Result } from "../../base/result.ts";
import type { ServiceTarget } from "../tool/effect.ts";
import type { CallFault } from "../web/call-api.ts";

/** Formats of sound that Hermes writes. `ogg` is Opus, as chats show voice messages. */
export const soundFormats = ["mp3", "wav", "ogg", "flac"] as const;
export type SoundFormat = (typeof soundFormats)[number];

export interface SpeechRequest {
  readonly text: string;
  /** Default: as the settings choose. */
  readonly provider?: string;
  readonly voice?: string;
  /** 0.25 to 4. Default: as the settings say. */
  readonly speed?: number;
  /** How to speak, for providers that follow it. */
  readonly instructions?: string;
  /** Default: as the settings say. */
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
  /** Providers that were tried before, and why they did not speak. */
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

import type { Result } from "../../base/result.ts";
import type { ServiceTarget } from "../tool/effect.ts";
import type { CallFault } from "../web/call-api.ts";

/** Audio formats that Hermes writes. `ogg` is Opus, the format of voice messages in chats. */
export const soundFormats = ["mp3", "wav", "ogg", "flac"] as const;
export type SoundFormat = (typeof soundFormats)[number];

export interface SpeechRequest {
  readonly text: string;
  /** The provider of the speech. Default: the provider in the settings. */
  readonly provider?: string;
  readonly voice?: string;
  /** The speed, from 0.25 to 4. Default: the value in the settings. */
  readonly speed?: number;
  /** Instructions how to speak, for providers that support them. */
  readonly instructions?: string;
  /** The format of the audio file. Default: the format in the settings. */
  readonly format?: SoundFormat;
  /** The path of the audio file. Default: a file in the audio cache of the home, whose size is limited. */
  readonly file?: string;
}

export interface SpokenFile {
  readonly path: string;
  readonly provider: string;
  readonly format: SoundFormat;
  /** True if a chat can show the file as a voice message. */
  readonly isVoiceMessage: boolean;
  /** The number of requests into which the text was split. */
  readonly pieces: number;
  /** Providers that were tried before this one, and why they failed. */
  readonly skipped: readonly string[];
}

/** Turns text into speech with the provider that the settings or the request name. */
export interface Speech {
  /**
   * Converts a text to speech. A text that exceeds the provider's limit is split at sentences, and the parts are joined
   * again. Never rejects.
   */
  speak(
    request: SpeechRequest,
    progress: (note: string) => void,
    signal: AbortSignal,
  ): Promise<Result<SpokenFile, CallFault>>;
  /** The servers that would receive the text. Empty: the text stays on this machine. */
  targets(provider?: string): Promise<readonly ServiceTarget[]>;
}

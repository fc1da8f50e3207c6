import type { Result } from "../../base/result.ts";
import type { SoundFormat } from "../../contracts/speech/speech.ts";
import type { ServiceTarget } from "../../contracts/tool/effect.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";

/** A text within the limit of the provider. */
export interface SpeechPiece {
  readonly text: string;
  /** Default: the setting. */
  readonly voice?: string;
  /** Default: the setting. */
  readonly speed?: number;
  readonly instructions?: string;
}

export interface Sound {
  readonly bytes: Uint8Array;
  readonly format: SoundFormat;
}

/** A source of speech: a service, a local program, or a plugin. */
export interface VoiceProvider {
  readonly name: string;
  /** Characters of one request. */
  readonly maxChars: number;
  /** The URL that receives the text. Undefined if it stays on this machine. */
  readonly targets?: readonly ServiceTarget[];
  /** True if its output is a voice message although its format is not Opus. */
  readonly isVoiceMessage?: boolean;
  /** Chosen without a setting: a key is in the environment, or the program is installed. */
  readonly isChosenAlone: boolean;
  /** Why the service cannot be used, and what to do; undefined if it can be used. */
  missing(signal: AbortSignal): Promise<string | undefined>;
  /** Never rejects. */
  speak(piece: SpeechPiece, signal: AbortSignal): Promise<Result<Sound, CallFault>>;
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** The speed of a request: its own, that of the provider, that of all. */
export function speedOf(piece: Pick<SpeechPiece, "speed">, own: number, general: number): number {
  return piece.speed ?? (own > 0 ? own : general);
}

import type { Result } from "../../base/result.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";

/** Speech to turn into text. */
export interface HeardSound {
  readonly bytes: Uint8Array;
  /** Empty if unknown. */
  readonly language: string;
}

/** A service or program that transcribes speech to text. */
export interface Listener {
  readonly name: string;
  /** The URL that receives the audio. Undefined if it stays on this machine. */
  readonly url?: string;
  readonly isChosenAlone: boolean;
  /** Why the service cannot be used, and what to do; undefined if it can be used. */
  missing(signal: AbortSignal): Promise<string | undefined>;
  /** Transcribes audio. Never rejects. */
  transcribe(sound: HeardSound, signal: AbortSignal): Promise<Result<string, CallFault>>;
}

import { loudness } from "../audio/loudness.ts";

export interface TakeLimits {
  readonly sampleRate: number;
  /** The loudness above which sound counts as speech. */
  readonly threshold: number;
  /** The duration of silence that ends a recording. */
  readonly silenceMs: number;
  readonly maxMs: number;
}

/** The duration of sound that counts as speech, and the maximum wait for it. */
const minSpeechMs = 300;
const noSpeechMs = 15_000;
const frameMs = 30;
/** Pauses within a word do not restart the count. */
const maxDipMs = 300;

export type TakeEnd = "silence" | "no_speech" | "limit";

/**
 * Follows the samples of a microphone and decides when a recording ends. Time is counted in samples, so no clock is
 * needed.
 */
export interface Take {
  /** Adds 16-bit samples of one channel. Returns a value when the recording is over. */
  add(chunk: Buffer): TakeEnd | undefined;
  readonly hasSpeech: boolean;
  /** The level of the last moment. */
  readonly level: number;
  samples(): Buffer;
}

export function createTake({ sampleRate, threshold, silenceMs, maxMs }: TakeLimits): Take {
  const frameBytes = 2 * Math.round((sampleRate * frameMs) / 1_000);
  const chunks: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let elapsedMs = 0;
  let loudMs = 0;
  let quietMs = 0;
  let hasSpeech = false;
  let level = 0;

  function step(frame: Buffer): TakeEnd | undefined {
    elapsedMs += frameMs;
    level = loudness(frame);
    if (level > threshold) {
      loudMs += frameMs;
      quietMs = 0;
      hasSpeech ||= loudMs >= minSpeechMs;
    } else {
      quietMs += frameMs;
      if (quietMs > maxDipMs) loudMs = 0;
    }
    if (hasSpeech && quietMs >= silenceMs) return "silence";
    if (!hasSpeech && elapsedMs >= noSpeechMs) return "no_speech";
    return elapsedMs >= maxMs ? "limit" : undefined;
  }

  return {
    add(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (; rest.length >= frameBytes; rest = rest.subarray(frameBytes)) {
        const frame = rest.subarray(0, frameBytes);
        chunks.push(Buffer.from(frame));
        const end = step(frame);
        if (end) return end;
      }
      return undefined;
    },
    get hasSpeech() {
      return hasSpeech;
    },
    get level() {
      return level;
    },
    samples: () => Buffer.concat(chunks),
  };
}

import { loudness } from "../audio/loudness.ts";

const maxSeconds = 28;
const minSeconds = 10;
const stepSeconds = 0.1;

/**
 * Cuts long speech at its quietest moments, because recognisers lose words in long audio. Expects 16-bit samples of
 * one channel.
 */
export function cutAtSilence(samples: Buffer, rate: number): readonly Buffer[] {
  const step = 2 * Math.round(rate * stepSeconds);
  const parts: Buffer[] = [];
  let start = 0;
  while (samples.length - start > maxSeconds * rate * 2) {
    let cut = start + minSeconds * rate * 2;
    let quietest = Infinity;
    for (let offset = cut; offset + step <= start + maxSeconds * rate * 2; offset += step) {
      const level = loudness(samples.subarray(offset, offset + step));
      // If several moments are equal, takes the last one, for fewer cuts.
      if (level > quietest) continue;
      quietest = level;
      cut = offset + 2 * Math.round(step / 4);
    }
    parts.push(samples.subarray(start, cut));
    start = cut;
  }
  return [...parts, samples.subarray(start)].filter((part) => part.length > 0);
}

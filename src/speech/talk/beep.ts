import { writeWav } from "../audio/wav.ts";

const sampleRate = 16_000;
const toneMs = 120;
const pauseMs = 60;
const loudest = 9_000;

/** A tone, or several in a row, as a WAV file. */
export function beep(frequency: number, times: number): Buffer {
  const toneSamples = Math.round((sampleRate * toneMs) / 1_000);
  const partSamples = toneSamples + Math.round((sampleRate * pauseMs) / 1_000);
  const samples = Buffer.alloc(2 * partSamples * times);
  for (let part = 0; part < times; part++)
    for (let index = 0; index < toneSamples; index++) {
      // Fades in and out, so that it does not click.
      const fade = Math.min(1, index / 160, (toneSamples - index) / 160);
      const value = loudest * fade * Math.sin((2 * Math.PI * frequency * index) / sampleRate);
      samples.writeInt16LE(Math.round(value), 2 * (part * partSamples + index));
    }
  return writeWav({ sampleRate, channels: 1, samples });
}

import assert from "node:assert/strict";
import { test } from "node:test";

import { createTake, type TakeEnd } from "./take.ts";

const sampleRate = 16_000;
const limits = { sampleRate, threshold: 200, silenceMs: 3_000, maxMs: 120_000 };

/** A tone of this loudness. */
function tone(ms: number, level: number): Buffer {
  const samples = Buffer.alloc(2 * Math.round((sampleRate * ms) / 1_000));
  for (let index = 0; index < samples.length / 2; index++)
    samples.writeInt16LE(Math.round(level * Math.SQRT2 * Math.sin(index / 8)), 2 * index);
  return samples;
}

/** The time at which the recording ends, to the frame. */
function run(
  sound: Buffer,
  settings = limits,
): { readonly end: TakeEnd | undefined; readonly ms: number; hasSpeech: boolean } {
  const take = createTake(settings);
  let end: TakeEnd | undefined;
  for (let offset = 0; end === undefined && offset < sound.length; offset += 1_000)
    end = take.add(sound.subarray(offset, offset + 1_000));
  return { end, ms: take.samples().length / 32, hasSpeech: take.hasSpeech };
}

test("three seconds of silence after speech end the recording", () => {
  const { end, ms, hasSpeech } = run(Buffer.concat([tone(1_000, 20), tone(2_000, 3_000), tone(10_000, 20)]));
  assert.equal(end, "silence");
  assert.ok(hasSpeech && ms >= 5_900 && ms <= 6_100, String(ms));
});

test("a pause of less than three seconds does not end the recording", () => {
  const spoken = Buffer.concat([tone(1_000, 3_000), tone(2_500, 20), tone(1_000, 3_000), tone(2_500, 20)]);
  assert.equal(run(spoken).end, undefined);
});

test("a click is not speech: at least 0.3 seconds of sound are needed", () => {
  const clicks = Buffer.concat(Array.from({ length: 20 }, () => Buffer.concat([tone(100, 9_000), tone(900, 10)])));
  assert.deepEqual(run(clicks).end, "no_speech");
  assert.equal(run(tone(400, 3_000)).hasSpeech, true);
});

test("fifteen seconds without speech end the recording", () => {
  const { end, ms } = run(tone(20_000, 150));
  assert.equal(end, "no_speech");
  assert.ok(ms >= 14_900 && ms <= 15_100, String(ms));
});

test("continuous noise ends the recording at the maximum length", () => {
  assert.equal(run(tone(3_000, 3_000), { ...limits, maxMs: 2_000 }).end, "limit");
});

test("a chunk of audio may end in the middle of a sample", () => {
  const take = createTake(limits);
  const sound = tone(600, 3_000);
  for (let offset = 0; offset < sound.length; offset += 7) take.add(sound.subarray(offset, offset + 7));
  assert.ok(take.hasSpeech);
});

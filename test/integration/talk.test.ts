// covers: src/speech/talk
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { readWav, secondsOf } from "../../src/speech/audio/wav.ts";
import { eventually } from "../support/eventually.ts";
import { speechRig } from "../support/speech-rig.ts";

const { signal } = new AbortController();

function tone(ms: number, level: number): Buffer {
  const samples = Buffer.alloc(32 * ms);
  for (let index = 0; index < samples.length / 2; index++)
    samples.writeInt16LE(Math.round(level * Math.sin(index / 8)), 2 * index);
  return samples;
}

/** A microphone that plays samples, and a loudspeaker that records its input, as programs on PATH. */
async function machine(samples: Buffer, ending = "exec sleep 600") {
  const files = await speechRig({});
  const bin = join(files.folder, "bin");
  await mkdir(bin);
  const [sound, played, pid] = ["sound.raw", "played", "pid"].map((name) => join(files.folder, name));
  await writeFile(sound ?? "", samples);
  await writeFile(
    join(bin, "arecord"),
    `#!/bin/sh\necho $$ > ${pid}\ncat ${sound}\necho yes > ${pid}.ready\n${ending}\n`,
  );
  await writeFile(join(bin, "afplay"), `#!/bin/sh\nwc -c < "$1" >> ${played}\n`);
  for (const name of ["arecord", "afplay"]) await chmod(join(bin, name), 0o755);
  const rig = await speechRig({}, { PATH: `${bin}:/usr/bin:/bin` });
  return {
    rig,
    /** When it has given all samples. */
    async started(): Promise<number> {
      await eventually(async () => (await readFile(`${pid}.ready`, "utf8").catch(() => "")) !== "");
      return Number(await readFile(pid ?? "", "utf8"));
    },
    pid: async () => Number(await readFile(pid ?? "", "utf8")),
    played: async () => (await readFile(played ?? "", "utf8").catch(() => "")).trim().split("\n"),
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a recording ends after the silence that follows speech, beeps before and after, and no recorder process stays", async () => {
  await using scene = await machine(Buffer.concat([tone(500, 20), tone(1_000, 5_000), tone(4_000, 20)]));
  const take = await scene.rig.talk.record(signal);
  assert.ok(take.ok && take.value.end === "silence" && take.value.sound);
  const wave = readWav(take.value.sound);
  assert.ok(wave && secondsOf(wave) > 4.3 && secondsOf(wave) < 4.7);
  const [start, stop] = (await scene.played()).map(Number);
  assert.ok(start && stop && Math.round((stop - 44) / (start - 44)) === 2);
  assert.equal(isAlive(await scene.pid()), false);
});

test("silence gives no words", async () => {
  await using scene = await machine(tone(16_000, 20));
  const take = await scene.rig.talk.record(signal);
  assert.deepEqual(take, { ok: true, value: { sound: undefined, end: "no_speech" } });
});

test("the user stops a recording, and its words are used", async () => {
  await using scene = await machine(tone(1_000, 5_000));
  const taking = scene.rig.talk.record(signal);
  const pid = await scene.started();
  const second = await scene.rig.talk.record(signal);
  assert.ok(!second.ok && /already/u.test(second.error.message));
  scene.rig.talk.stop();
  const take = await taking;
  assert.ok(take.ok && take.value.end === "stopped");
  assert.equal(isAlive(pid), false);
});

test("an abort discards the recording and ends the recorder", async () => {
  await using scene = await machine(tone(1_000, 5_000));
  const stop = new AbortController();
  const taking = scene.rig.talk.record(stop.signal);
  const pid = await scene.started();
  stop.abort();
  const take = await taking;
  assert.ok(take.ok && take.value.sound === undefined);
  assert.equal(isAlive(pid), false);
});

test("a recorder without a microphone is reported with its own message", async () => {
  await using scene = await machine(Buffer.alloc(0), "echo 'arecord: no soundcards found' >&2; exit 1");
  const take = await scene.rig.talk.record(signal);
  assert.ok(!take.ok && /no soundcards found/u.test(take.error.message));
});

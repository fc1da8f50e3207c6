// covers: src/hosts/cli/chat/voice-mode.ts, src/operations/speech, src/speech/talk
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import type { AgentEvent } from "../../src/contracts/session/event.ts";
import { createVoiceMode } from "../../src/hosts/cli/chat/voice-mode.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import type { OpenService } from "../../src/operations/operation.ts";
import { createRunner } from "../../src/operations/run-operation.ts";
import { writeWav } from "../../src/speech/audio/wav.ts";
import { eventually } from "../support/eventually.ts";
import { speechRig } from "../support/speech-rig.ts";

/** Microphone samples: one second of sound and four of silence. */
function spokenSamples(): Buffer {
  const samples = Buffer.alloc(32_000 * 5);
  for (let index = 0; index < 16_000; index++) samples.writeInt16LE(Math.round(5_000 * Math.sin(index / 8)), 2 * index);
  return samples;
}

// The test uses only these fields.
const event = (fields: object) => fields as AgentEvent;

async function scene() {
  const files = await speechRig({});
  const bin = join(files.folder, "bin");
  await mkdir(bin);
  const path = (name: string) => join(files.folder, name);
  await writeFile(path("sound.raw"), spokenSamples());
  await writeFile(path("second.wav"), writeWav({ sampleRate: 16_000, channels: 1, samples: Buffer.alloc(320) }));
  await writeFile(join(bin, "arecord"), `#!/bin/sh\ncat ${path("sound.raw")}\nexec sleep 600\n`);
  await writeFile(join(bin, "afplay"), `#!/bin/sh\necho "$1" >> ${path("played")}\n`);
  for (const name of ["arecord", "afplay"]) await chmod(join(bin, name), 0o755);
  const reader = {
    command: `cat {text_path} >> ${path("read")}; echo >> ${path("read")}; cp ${path("second.wav")} {output_path}`,
    output_format: "wav",
  };
  const rig = await speechRig(
    { tts: { provider: "reader", output_format: "wav", providers: { reader } }, voice: { beep_enabled: false } },
    { PATH: `${bin}:/usr/bin:/bin`, HERMES_LOCAL_STT_COMMAND: "echo /quit now" },
  );
  const prompts: string[] = [];
  const notes: string[] = [];
  // Only operations of speech run here.
  const open = (async (name: string) => (name === "speech" ? rig : { env: {} })) as unknown as OpenService;
  const voice = createVoiceMode({
    run: (signal) =>
      createRunner(open, { principal: localPrincipal(), signal, clock: systemClock, cwd: rig.folder, report() {} }),
    recordKey: "ctrl+b",
    submit: (text) => void prompts.push(text),
    note: (text) => void notes.push(text),
    isBusy: () => true,
  });
  const lines = async (name: string) =>
    (await readFile(path(name), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  return {
    voice,
    prompts,
    notes,
    lines,
    async [Symbol.asyncDispose]() {
      await voice[Symbol.asyncDispose]();
      await rig[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}

test("the record key starts recording, sends the words, and records again after the answer", async () => {
  await using own = await scene();
  assert.equal(own.voice.press("ctrl+b"), false, "voice is off");
  own.voice.use("listen");
  assert.equal(own.voice.press("a"), false);
  assert.equal(own.voice.press("ctrl+b"), true);
  await eventually(() => own.prompts.length === 1);
  assert.deepEqual(own.prompts, ["/quit now"]);
  own.voice.show(event({ type: "turn.finished" }));
  await eventually(() => own.prompts.length === 2);
  own.voice.press("ctrl+b");
  own.voice.show(event({ type: "turn.finished" }));
  assert.equal(own.notes.filter((note) => note.startsWith("Listening")).length, 2);
});

test("an answer is spoken sentence by sentence, and a key stops it", async () => {
  await using own = await scene();
  own.voice.use("listen_and_speak");
  own.voice.show(event({ type: "turn.started" }));
  own.voice.show(event({ type: "text.delta", delta: "The first sentence is here. And the second" }));
  await eventually(async () => (await own.lines("played")).length === 1);
  own.voice.show(event({ type: "text.delta", delta: " one follows it now.\n```\ncode\n```\n" }));
  own.voice.show(event({ type: "turn.finished" }));
  await eventually(async () => (await own.lines("played")).length === 2);
  assert.deepEqual(await own.lines("read"), ["The first sentence is here.", "And the second one follows it now."]);
  own.voice.show(event({ type: "turn.started" }));
  own.voice.show(event({ type: "text.delta", delta: "This sentence is stopped by a key. " }));
  own.voice.press("x");
  own.voice.show(event({ type: "text.delta", delta: "Nobody gets this sentence at all. " }));
  own.voice.show(event({ type: "turn.finished" }));
  assert.doesNotMatch((await own.lines("read")).join(), /Nobody/u);
});

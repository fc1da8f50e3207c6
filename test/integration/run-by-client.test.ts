// covers: src/environments
import assert from "node:assert/strict";
import { test } from "node:test";

import { type Client, runByClient } from "../../src/environments/containers/run-by-client.ts";
import { fakeClock } from "../support/fake-clock.ts";

function play(args: Client["args"], script: string) {
  const clock = fakeClock();
  const reply = { out: "", control: "" };
  const ended = runByClient(
    { program: "/bin/sh", env: { PATH: process.env.PATH }, args },
    script,
    {
      signal: new AbortController().signal,
      onOutput(chunk) {
        reply.out += Buffer.from(chunk).toString();
        return true;
      },
      resume: () => Promise.resolve(),
      onControl: (chunk) => void (reply.control += Buffer.from(chunk).toString()),
    },
    clock,
  );
  return { ended, heard: reply, clock };
}

test("output of a client before the script is separate from the script's output", async () => {
  const {
    ended,
    heard: reply,
    clock,
  } = play((code) => ["-c", `echo warning >&2; ${code}`], "echo out; echo said >&2; exit 3");
  assert.deepEqual(await ended, { how: "begun", code: 3 });
  assert.deepEqual(reply, { out: "out\n", control: "said\n" });
  assert.equal(clock.waiting, 0);
});

test("the error of a client that fails before the script starts has the client's message", async () => {
  const { ended } = play(() => ["-c", "echo no such container >&2; exit 1"], "echo never");
  assert.deepEqual(await ended, { how: "unbegun", code: 1, stderr: "no such container\n" });
});

test("a client that hangs before the script starts times out with advice", async () => {
  const { ended, clock } = play(() => ["-c", "sleep 100"], "echo never");
  clock.advance(120_000);
  const end = await ended;
  assert.ok(end.how === "broken");
  assert.match(`${end.message}; ${end.hint}`, /did not start it within 120 seconds; .*restart it/u);
});

test("a script that has started has no time limit", async () => {
  const { ended, heard: reply, clock } = play((code) => ["-c", code], "echo begun; sleep 0.5; echo end");
  while (reply.out === "") await new Promise((resolve) => setTimeout(resolve, 5));
  clock.advance(120_000);
  assert.deepEqual(await ended, { how: "begun", code: 0 });
  assert.equal(reply.out, "begun\nend\n");
});

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { ok } from "../../base/result.ts";
import { createAgentPool } from "./agent-pool.ts";
import type { StartAgent } from "./agent-program.ts";

const call = {
  command: "agent",
  args: [],
  commandVars: [],
  passes: [],
  env: { ALWAYS: "so" },
  modelVar: "MODEL",
  notices: [],
  failureMark: "Error: ",
  install: "install it",
  signIn: "agent login",
};
const never = new AbortController().signal;

/** In-memory programs that answer every request immediately, unless they are silent. */
function programs({ isSilent = false } = {}) {
  const started: { readonly env: object; readonly exit: () => void; isBusy: boolean; isEnded: boolean }[] = [];
  const start: StartAgent = async (_call, env) => {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    const exited = Promise.withResolvers<{ description: string; isKilled: boolean }>();
    const exit = () => exited.resolve({ description: "exit code 0", isKilled: false });
    const one: (typeof started)[number] = { env, exit, isBusy: true, isEnded: false };
    started.push(one);
    streams.output.on("data", (line: Buffer) => {
      const { id } = JSON.parse(line.toString()) as { id: number };
      const result = { protocolVersion: 1, sessionId: "s", stopReason: "end_turn" };
      if (!isSilent) streams.input.write(`${JSON.stringify({ id, result })}\n`);
    });
    return ok({
      folder: "/empty",
      streams,
      exited: exited.promise,
      setBusy: (isBusy) => void (one.isBusy = isBusy),
      complaints: () => "",
      redact: (text) => text,
      async end() {
        one.isEnded = true;
      },
    });
  };
  return { start, started };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function lease(pool: ReturnType<typeof createAgentPool>, model?: string) {
  const leased = await pool.lease(call, model, never);
  assert.ok(leased.ok);
  return leased.value;
}

test("a released program serves the next request for the same model, and does not keep the process running", async () => {
  const { start, started } = programs();
  await using pool = createAgentPool({ start, clock: fakeClock() });
  const first = await lease(pool, "a");
  first.release();
  await settled();
  assert.equal(started[0]?.isBusy, false);
  const second = await lease(pool, "a");
  assert.deepEqual([second.hasWaited, second.connection === first.connection, started[0]?.isBusy], [true, true, true]);
  const third = await lease(pool);
  assert.equal(third.hasWaited, false);
  assert.deepEqual(
    started.map(({ env }) => env),
    [{ ALWAYS: "so", MODEL: "a" }, { ALWAYS: "so" }],
  );
});

test("an idle program is stopped after some minutes, and at most one stays idle", async () => {
  const { start, started } = programs();
  const clock = fakeClock();
  await using pool = createAgentPool({ start, clock });
  const both = [await lease(pool), await lease(pool)];
  for (const { release } of both) release();
  await settled();
  assert.equal(started.filter(({ isEnded }) => isEnded).length, 1);
  clock.advance(10 * 60_000);
  assert.deepEqual(
    started.map(({ isEnded }) => isEnded),
    [true, true],
  );
  assert.equal((await lease(pool)).hasWaited, false);
});

test("disposing the pool stops idle, busy and starting programs, and starts no more", async () => {
  const { start, started } = programs();
  const silent = programs({ isSilent: true });
  const pool = createAgentPool({ start, clock: fakeClock() });
  const deaf = createAgentPool({ start: silent.start, clock: fakeClock() });
  await lease(pool);
  (await lease(pool)).release();
  const opening = deaf.lease(call, undefined, never);
  await settled();
  await Promise.all([pool[Symbol.asyncDispose](), deaf[Symbol.asyncDispose]()]);
  assert.ok([...started, ...silent.started].every(({ isEnded }) => isEnded));
  for (const late of [await opening, await pool.lease(call, undefined, never)])
    assert.equal(!late.ok && late.error.kind, "aborted");
  assert.equal(started.length, 2);
});

test("aborting the wait for a silent program leaves no process behind", async () => {
  const { start, started } = programs({ isSilent: true });
  await using pool = createAgentPool({ start, clock: fakeClock() });
  const stop = new AbortController();
  const leasing = pool.lease(call, undefined, stop.signal);
  await settled();
  stop.abort();
  await assert.rejects(leasing);
  assert.deepEqual(
    started.map(({ isEnded }) => isEnded),
    [true],
  );
});

test("a program that exited while it was idle is not reused", async () => {
  const { start, started } = programs();
  await using pool = createAgentPool({ start, clock: fakeClock() });
  (await lease(pool)).release();
  await settled();
  started[0]?.exit();
  await settled();
  assert.equal((await lease(pool)).hasWaited, false);
});

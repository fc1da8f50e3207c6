import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { err, ok } from "../../base/result.ts";
import type { Exit } from "../start-program.ts";
import type { LocalShell, WaitingShell } from "./local-shell.ts";
import type { Pipe } from "./pipes.ts";
import { createReadyShell } from "./ready-shell.ts";

/** Fake shells that record events. `beforeStart`: every start waits for it. */
function scene({ beforeStart = async () => {}, deafness = false, fits = (): boolean => true } = {}) {
  const clock = fakeClock();
  const events: string[] = [];
  const exits: ((exit: Exit) => void)[] = [];
  let number = 0;
  const pipe: Pipe = {
    buffer: Buffer.alloc(0),
    forOutput: () => assert.fail("nobody opens it"),
    giveBack: (isFree) => void events.push(`pipe ${isFree ? "free" : "gone"}`),
  };
  const shell = {
    async prepare() {
      await beforeStart();
      const name = (number += 1);
      events.push(`start ${name}`);
      const { promise: exited, resolve: exit } = Promise.withResolvers<Exit>();
      exits.push(exit);
      const tree = {
        pid: name,
        leftNow: () => [],
        async end() {
          events.push(`end ${name}`);
          exit({ signal: "SIGKILL" });
          return [];
        },
      };
      const created = {
        tree,
        exited,
        output: { ended: Promise.resolve(), resume() {}, stop() {}, isAtEnd: true },
        isOver: () => true,
        fits,
        run: (command: string) => void events.push(`run ${name}: ${command}`),
        dismiss() {
          events.push(`dismiss ${name}`);
          if (!deafness) exit({ exitCode: 0 });
        },
      };
      // The cast is safe: the code under test does not use the other members of the interface.
      return ok(created as unknown as WaitingShell);
    },
  } as unknown as LocalShell;
  const ready = createReadyShell({ shell, pipes: { take: async () => ok(pipe) } as never, isAble: true, clock });
  const prepare = async () => {
    ready.prepare(undefined);
    await settle();
    await settle();
  };
  const take = (command: string) => ready.take(command, "/", { signal: new AbortController().signal, timeoutMs: 1 });
  return { clock, said: events, exits, ready, prepare, take };
}

const settle = () => new Promise(setImmediate);

test("a prepared shell lives two minutes and serves one command", async () => {
  const { clock, said: events, ready, prepare, take } = scene();
  await prepare();
  await prepare();
  clock.advance(119_000);
  take("echo 1")?.run(() => true);
  assert.equal(take("echo 2"), undefined);
  await prepare();
  clock.advance(121_000);
  await settle();
  assert.equal(take("echo 3"), undefined);
  await ready[Symbol.asyncDispose]();
  assert.deepEqual(events, ["start 1", "run 1: echo 1", "start 2", "dismiss 2", "pipe free"]);
  assert.equal(clock.waiting, 0);
});

test("only a plain command runs in a prepared shell; any other command ends it", async () => {
  const fitting = { is: true };
  const { said: events, ready, prepare, take } = scene({ fits: () => fitting.is });
  await prepare();
  assert.equal(take("x".repeat(2_001)), undefined);
  const more = { signal: new AbortController().signal, timeoutMs: 1 };
  assert.equal(ready.take("x", "/", { ...more, stdin: Buffer.from("") }), undefined);
  assert.equal(ready.take("x", "/", { ...more, env: { A: "1" } }), undefined);
  fitting.is = false;
  assert.equal(take("x"), undefined);
  await ready[Symbol.asyncDispose]();
  assert.deepEqual(events, ["start 1", "dismiss 1", "pipe free"]);
});

test("a prepared shell that exits is replaced", async () => {
  const { said: events, exits, ready, prepare, take } = scene();
  await prepare();
  exits[0]?.({ signal: "SIGKILL" });
  await settle();
  await prepare();
  assert.ok(take("x"));
  await ready[Symbol.asyncDispose]();
  assert.deepEqual(events, ["start 1", "dismiss 1", "pipe free", "start 2"]);
});

test("closing waits for shells that are starting or ending", async () => {
  const start = Promise.withResolvers<void>();
  const { clock, said: events, ready, prepare } = scene({ beforeStart: () => start.promise, deafness: true });
  await prepare();
  let isClosed = false;
  const closing = ready[Symbol.asyncDispose]().then(() => (isClosed = true));
  start.resolve();
  await settle();
  assert.equal(isClosed, false);
  clock.advance(1_000);
  await closing;
  assert.deepEqual(events, ["start 1", "dismiss 1", "end 1", "pipe free"]);
});

test("closing waits until an unneeded shell that ignores its signals is killed", async () => {
  const { clock, said: events, ready, prepare, take } = scene({ deafness: true, fits: () => false });
  await prepare();
  assert.equal(take("x"), undefined);
  let isClosed = false;
  const closing = ready[Symbol.asyncDispose]().then(() => (isClosed = true));
  await settle();
  assert.equal(isClosed, false);
  clock.advance(1_000);
  await closing;
  assert.deepEqual(events, ["start 1", "dismiss 1", "end 1", "pipe free"]);
});

test("a failed start affects no other call", async () => {
  const { ready, prepare, take } = scene({ beforeStart: () => Promise.reject(new Error("no processes")) });
  await prepare();
  await prepare();
  assert.equal(take("x"), undefined);
  await ready[Symbol.asyncDispose]();
  const shell = { prepare: async () => err({ kind: "unreachable", message: "no" }) } as unknown as LocalShell;
  const clock = fakeClock();
  const pipes = { take: async () => err({ message: "no pipes" }) } as never;
  await using without = createReadyShell({ shell, pipes, isAble: true, clock });
  without.prepare(undefined);
  await settle();
});

test("a command that arrives before the prepared shell has started does not wait for it", async () => {
  const { said: events, ready, take, prepare } = scene();
  ready.prepare(undefined);
  assert.equal(take("x"), undefined);
  await settle();
  await settle();
  assert.deepEqual(events, []);
  await prepare();
  assert.ok(take("y"));
  await ready[Symbol.asyncDispose]();
  assert.deepEqual(events, ["start 1"]);
});

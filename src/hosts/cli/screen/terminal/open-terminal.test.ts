import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../../test/support/fake-clock.ts";
import type { DeviceListener } from "../../terminal-device.ts";
import { openTerminal, type Terminal } from "./open-terminal.ts";
import { terminalFacts } from "./terminal-facts.ts";

const position = "\x1b[6n";

/** A fake terminal whose answers the test controls. */
function openQuiet() {
  const clock = fakeClock();
  const keys: string[] = [];
  const gate = Promise.withResolvers<void>();
  let written = "";
  let device: DeviceListener | undefined;
  let isClosed = false;
  let drawn = 0;
  const terminal = openTerminal({
    device: {
      open(given) {
        device = given;
        return {
          write: (text) => void (written += text),
          isBehind: false,
          restoreBy() {},
          suspend: () => void (written += "<stop>"),
          async lend(work) {
            written += "<lent>";
            try {
              return await work();
            } finally {
              given.resumed();
            }
          },
          async close() {
            isClosed = true;
          },
        };
      },
    },
    facts: { ...terminalFacts({}), isLight: false },
    clock,
    space: () => ({ columns: 80, rows: 24 }),
    listener: {
      pressed: (pressed) => void keys.push(...pressed.map(({ chord }) => chord)),
      changed: draw,
      drained() {},
      ended() {},
      warned() {},
    },
  });
  function draw(): void {
    if (terminal.isReady) terminal.draw([], { lines: [`row ${++drawn}`] }, true);
  }
  return {
    clock,
    keys,
    gate,
    terminal,
    draw,
    answer: (text: string) => device?.typed(Buffer.from(text)),
    resize: () => device?.resized(),
    resume: () => device?.resumed(),
    hangUp: () => device?.ended(),
    /** The bytes since the last call. */
    take() {
      const bytes = written;
      written = "";
      return bytes;
    },
    async isClosed() {
      // Waits until pending promises are settled.
      await new Promise(setImmediate);
      return isClosed;
    },
  };
}

const attributes = "\x1b[?62c";

test("closing the terminal waits a limited time for answers that a slow connection delays", async () => {
  const slow = openQuiet();
  slow.answer(attributes);
  slow.draw();
  assert.ok(slow.take().includes(position));
  void slow.terminal.close();
  slow.clock.advance(600);
  assert.equal(await slow.isClosed(), false, "the answer would be typed into the shell");
  slow.answer("\x1b[24;");
  assert.equal(await slow.isClosed(), false);
  slow.answer("80R");
  assert.equal(await slow.isClosed(), true);
  assert.deepEqual(slow.keys, []);

  const lost = openQuiet();
  lost.answer(attributes);
  lost.draw();
  void lost.terminal.close();
  lost.clock.advance(1_000);
  assert.equal(await lost.isClosed(), true);

  const dead = openQuiet();
  dead.draw();
  void dead.terminal.close();
  assert.equal(await dead.isClosed(), false);
  dead.hangUp();
  assert.equal(await dead.isClosed(), true, "a closed window answers nothing");
});

test("the last frame waits until the terminal has reported its size after a resize, or for a limited time", async () => {
  const isSettled = async (terminal: Pick<Terminal, "settled">) => {
    let isOver = false;
    const over = () => void (isOver = true);
    const waiting = terminal.settled().then(over);
    await new Promise(setImmediate);
    return { waiting, isOver: () => isOver };
  };
  const still = openQuiet();
  assert.equal((await isSettled(still.terminal)).isOver(), true);

  const resized = openQuiet();
  resized.answer(attributes);
  resized.resize();
  const certain = await isSettled(resized.terminal);
  assert.equal(certain.isOver(), false);
  resized.clock.advance(40);
  resized.answer("\x1b[5;3R\x1b[5;80R");
  // The frame after a resize has a query of its own.
  resized.answer("\x1b[5;80R");
  await certain.waiting;

  const silent = openQuiet();
  silent.resize();
  const uncertain = await isSettled(silent.terminal);
  silent.clock.advance(2_000);
  await uncertain.waiting;

  const dead = openQuiet();
  dead.resize();
  const ended = await isSettled(dead.terminal);
  dead.hangUp();
  await ended.waiting;
});

test("a resize is drawn after a moment; in a series of resizes nothing is drawn until it ends", () => {
  const quiet = openQuiet();
  quiet.answer(attributes);
  quiet.draw();
  quiet.take();
  quiet.resize();
  quiet.clock.advance(40);
  assert.equal(quiet.take().split(position).length, 3, "it asks for the cursor and the width");
  quiet.resize();
  for (let passed = 0; passed < 2_000; passed += 200) {
    quiet.clock.advance(200);
    quiet.resize();
  }
  quiet.clock.advance(299);
  assert.equal(quiet.take(), "");
  quiet.clock.advance(1);
  assert.equal(quiet.take().split(position).length, 3);
});

test("while another program has the terminal, the screen writes neither frames nor queries", async () => {
  const quiet = openQuiet();
  quiet.answer(attributes);
  quiet.draw();
  const lent = quiet.terminal.lend(async () => quiet.gate.promise);
  quiet.answer("\x1b[24;80R");
  await quiet.isClosed();
  assert.ok(quiet.take().endsWith("<lent>"));
  quiet.resize();
  quiet.draw();
  quiet.clock.advance(5_000);
  assert.equal(quiet.take(), "");
  quiet.gate.resolve();
  await lent;
  assert.match(quiet.take(), /row \d/u);
});

test("Ctrl-Z pressed twice stops the program once", async () => {
  const quiet = openQuiet();
  quiet.answer(attributes);
  quiet.draw();
  quiet.terminal.suspend();
  quiet.terminal.suspend();
  quiet.answer("\x1b[24;80R");
  await quiet.isClosed();
  assert.equal(quiet.take().split("<stop>").length, 2);
  quiet.resume();
  assert.match(quiet.take(), /row \d/u);
});

test("after an answer was lost, later answers are matched with the right queries", () => {
  const quiet = openQuiet();
  quiet.answer(attributes);
  quiet.draw();
  quiet.clock.advance(4_000);
  assert.ok(quiet.terminal.isConfirmed);
  quiet.draw();
  assert.equal(quiet.terminal.isConfirmed, false);
  quiet.answer("\x1b[24;80R");
  assert.ok(quiet.terminal.isConfirmed);
  // A late answer to a cursor query is not read as the key F3.
  quiet.answer("\x1b[24;80R\x1b[1;5R");
  assert.deepEqual(quiet.keys, ["ctrl+f3"]);
});

test("a line that was typed with Enter before the start is sent, even if it is read late or together with answers of the terminal", () => {
  const late = openQuiet();
  late.clock.advance(20_000);
  late.answer(`one\ntwo\n${attributes}`);
  const sent = ["o", "n", "e", "enter", "t", "w", "o", "enter"];
  assert.deepEqual(late.keys, sent);
  late.answer("x\n");
  assert.deepEqual(late.keys, [...sent, "x", "ctrl+j"], "afterwards it is a key of its own");
});

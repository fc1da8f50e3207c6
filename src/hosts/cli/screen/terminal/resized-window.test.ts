import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { fakeClock } from "../../../../../test/support/fake-clock.ts";
import { createTerminalEmulator } from "../../../../../test/support/terminal-emulator.ts";
import type { DeviceListener } from "../../terminal-device.ts";
import { openTerminal } from "./open-terminal.ts";
import { terminalFacts } from "./terminal-facts.ts";

/** One event between the program and its terminal. The test generates random sequences of them. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("stream" as const), words: fc.integer({ min: 1, max: 12 }) }) },
  /** The turn ends, until the next words. */
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("end" as const) }) },
  /** The terminal reads frames. */
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("read" as const), frames: fc.constantFrom<number>(1, 2, 9) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("answer" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("resize" as const),
      columns: fc.integer({ min: 30, max: 100 }),
      rows: fc.integer({ min: 12, max: 30 }),
    }),
  },
  /** The program gets the size. */
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("report" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom<number>(1, 20, 120) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The second resize wraps a row that the first one has cut, before the next frame arrives. */
const narrowedTwice: Step[] = [
  { kind: "stream", words: 5 },
  { kind: "wait", ms: 120 },
  { kind: "stream", words: 1 },
  { kind: "resize", columns: 31, rows: 12 },
  { kind: "report" },
  { kind: "read", frames: 2 },
  { kind: "wait", ms: 1 },
  { kind: "stream", words: 1 },
  { kind: "resize", columns: 30, rows: 12 },
  { kind: "report" },
  { kind: "answer" },
];

/** The frame that repairs the rows of a narrow window arrives in a wide one, which has fewer rows. */
const widenedDuringRepair: Step[] = [
  { kind: "stream", words: 40 },
  { kind: "read", frames: 9 },
  { kind: "answer" },
  { kind: "stream", words: 4 },
  { kind: "read", frames: 9 },
  { kind: "answer" },
  { kind: "resize", columns: 31, rows: 24 },
  { kind: "report" },
  { kind: "wait", ms: 120 },
  { kind: "read", frames: 9 },
  { kind: "answer" },
  { kind: "resize", columns: 90, rows: 24 },
  { kind: "read", frames: 9 },
];

/** The frame that moves the cursor back to the prompt after a turn arrives in a narrower window. */
const narrowedAfterTurn: Step[] = [
  { kind: "stream", words: 5 },
  { kind: "end" },
  { kind: "read", frames: 9 },
  { kind: "answer" },
  { kind: "end" },
  { kind: "resize", columns: 50, rows: 20 },
  { kind: "read", frames: 9 },
];

test("however often the window is resized before the program is notified, every finished line appears exactly once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
      const { seen, words, everything } = await play(steps);
      assert.deepEqual(seen, words, everything);
    }),
    { numRuns: 40, examples: [[narrowedTwice], [widenedDuringRepair], [narrowedAfterTurn]] },
  );
});

/** Plays the steps and returns all words, and those in the scrollback and the window. */
async function play(steps: readonly Step[]) {
  const clock = fakeClock();
  let window = { columns: 80, rows: 24 };
  let reported = window;
  let listener: DeviceListener | undefined;
  const unread: string[] = [];
  let answers = "";
  using emulator = createTerminalEmulator({ ...window, answer: (text) => (answers += text) });
  let words = 0;
  let isEnded = false;
  /** Words of lines that are not finished. */
  const open: string[] = [];
  const terminal = openTerminal({
    device: {
      open(given) {
        listener = given;
        return {
          write: (text) => void unread.push(text),
          isBehind: false,
          restoreBy() {},
          suspend() {},
          lend: (work) => work(),
          async close() {},
        };
      },
    },
    facts: { ...terminalFacts({}), isLight: false },
    clock,
    space: () => reported,
    listener: { pressed() {}, changed: draw, drained: draw, ended() {}, warned() {} },
  });
  function draw(): void {
    if (!terminal.isReady || !terminal.isConfirmed) return;
    const perLine = Math.floor((reported.columns + 1) / 7);
    const finished: string[] = [];
    const kept = isEnded ? 0 : perLine;
    while (open.length > kept) finished.push(open.splice(0, perLine).join(" "));
    const lines = [...(isEnded ? [] : [open.join(" ")]), "❯ ", "s".repeat(Math.min(reported.columns, 60))];
    terminal.draw(finished, { lines, cursor: { row: lines.length - 2, column: 2 } }, !isEnded);
  }
  const read = async (frames: number) => {
    for (const bytes of unread.splice(0, frames)) emulator.add(bytes);
    await emulator.screen();
  };
  const answer = () => {
    const bytes = Buffer.from(answers);
    answers = "";
    if (bytes.length > 0) listener?.typed(bytes);
  };
  const report = () => {
    if (reported.columns === window.columns && reported.rows === window.rows) return;
    reported = window;
    listener?.resized();
  };
  await read(Infinity);
  answer();
  for (const each of steps) {
    if (each.kind === "stream") {
      for (let index = 0; index < each.words; index++) open.push(wordOf(words++));
      isEnded = false;
      draw();
    } else if (each.kind === "end") {
      isEnded = true;
      draw();
    } else if (each.kind === "read") await read(each.frames);
    else if (each.kind === "answer") answer();
    else if (each.kind === "report") report();
    else if (each.kind === "wait") clock.advance(each.ms);
    else {
      window = { columns: each.columns, rows: each.rows };
      emulator.resize(each.columns, each.rows);
    }
  }
  for (let round = 0; round < 40; round++) {
    isEnded = round >= 20;
    report();
    draw();
    await read(Infinity);
    answer();
    clock.advance(50);
  }
  const everything = (await emulator.everything()).join("\n");
  const seen = [...everything.matchAll(/w\d+\.+/gu)].map(([word]) => word);
  return { seen, words: Array.from({ length: words }, (_, index) => wordOf(index)), everything };
}

function wordOf(index: number): string {
  return `w${index}`.padEnd(6, ".");
}

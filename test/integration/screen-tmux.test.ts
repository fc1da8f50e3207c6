// covers: src/hosts/cli/screen/terminal, src/hosts/cli/terminal-device.ts
import assert from "node:assert/strict";
import { test } from "node:test";

import { missingPrograms } from "../support/system-programs.ts";
import { tmuxChat } from "../support/tmux-chat.ts";

const skip = missingPrograms({ tmux: "tmux" });

test("quitting during a stream leaves finished lines once in tmux, and nothing else", { skip }, async () => {
  const text = Array.from({ length: 4_000 }, (_, index) => `line ${index + 1} of the answer.\n\n`);
  await using chat = await tmuxChat([{ text, fault: { chunkBytes: 120, dripMs: 10 } }], 40, 10);
  await chat.untilSeen(/interrupts\n❯\ncustom\/m1/u);
  // Now the rows of the prompt begin at the first cell of the window.
  await chat.type("C-l");
  await chat.untilSeen(/^❯\ncustom\/m1/u);
  await chat.resize(60, 12);
  await chat.untilSeen(/^❯\ncustom\/m1 .*no sandbox · asks first/u);
  await chat.type("count them");
  await chat.until("❯ count them");
  await chat.type("Enter");
  await chat.until("line 40 of the answer.");
  // The answer still streams.
  await chat.type("C-d");
  await chat.until("the shell again");
  // The terminal echoes what its next program gets: this text, and not the answers for the program that has left.
  await chat.type("typed later");
  await chat.until("typed later");
  const everything = await chat.everything();
  const numbers = [...everything.matchAll(/^line (\d+) of the answer\.$/gmu)].map(([, number]) => Number(number));
  assert.ok(numbers.length >= 40 && numbers.length < text.length, everything);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
    everything,
  );
  assert.equal(everything.match(/count them/gu)?.length, 1, everything);
  assert.doesNotMatch(everything, /\[\d+;\d+R|\^\[|^❯$|^custom\/m1 ·|loading/mu);
});

test(
  "a window that becomes smaller during an approval leaves no copy of the panel in the scrollback",
  { skip },
  async () => {
    const calls = [{ name: "terminal", args: { command: "rm -rf build" } }];
    await using chat = await tmuxChat([{ text: "Ready." }, { calls }, { text: "Kept." }], 90, 28);
    await chat.untilSeen(/interrupts[^]*❯\n+custom\/m1/u);
    await chat.type("hello", "Enter");
    await chat.until("Ready.");
    await chat.type("clean up", "Enter");
    await chat.untilSeen(/❯ 4 {2}d {2}Deny/u);
    for (const [columns, rows] of [
      [60, 14],
      [40, 10],
      [90, 28],
    ] as const) {
      await chat.resize(columns, rows);
      await chat.untilSeen(rows < 20 ? /❯d deny/u : /❯ 4 {2}d {2}Deny/u);
      // The frame for this size has arrived.
      const rule = new RegExp(`^── Approval .{${columns - 16},}$`, "mu");
      await chat.untilSeen(rule);
    }
    assert.equal((await chat.everything()).match(/Approval/gu)?.length, 1, await chat.everything());
    await chat.type("d");
    await chat.until("Kept.");
    const everything = await chat.everything();
    assert.doesNotMatch(everything, /Approval|Allow once/u, everything);
    assert.equal(everything.match(/clean up/gu)?.length, 1, everything);
    assert.equal(everything.match(/terminal rm -rf build/gu)?.length, 1, everything);
    assert.equal(everything.match(/Ready\./gu)?.length, 1, everything);
  },
);

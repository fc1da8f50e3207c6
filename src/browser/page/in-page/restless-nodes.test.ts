import assert from "node:assert/strict";
import { test } from "node:test";

import type { DomChange, DomNode } from "./dom.ts";
import { createRestlessNodes } from "./restless-nodes.ts";

const node = (text = ""): DomNode => ({ nodeValue: text }) as unknown as DomNode; // only the text matters here

function replaced(target: DomNode, text: string): DomChange {
  return { type: "childList", target, addedNodes: [node(text)], removedNodes: [node()] };
}

test("a clock is a repetition after its fifth change in 0.8 seconds; a pause starts the count again", () => {
  const { isRepetition } = createRestlessNodes();
  const clock = node();
  const repeats = (times: readonly number[]) => times.map((now) => isRepetition([replaced(clock, "12:00")], now));
  assert.deepEqual(repeats([0, 200, 400, 600, 800, 1000]), [false, false, false, false, true, true]);
  assert.deepEqual(repeats([2000, 2100, 2200, 2300, 2400, 2900]), [false, false, false, false, false, true]);
});

test("a change of another node and text that grows are never repetitions", () => {
  const { isRepetition } = createRestlessNodes();
  const [clock, answer] = [node(), node()];
  for (let now = 0; now <= 1000; now += 100) isRepetition([replaced(clock, "12:00")], now);
  assert.equal(isRepetition([replaced(clock, "12:01")], 1100), true);
  assert.equal(isRepetition([replaced(clock, "12:02"), replaced(answer, "Done")], 1200), false);
  const grown = Array.from({ length: 30 }, (_, index) =>
    isRepetition([replaced(answer, "word ".repeat(index + 2))], 1300 + 100 * index),
  );
  const appended = Array.from({ length: 30 }, (_, index) =>
    isRepetition([{ ...replaced(answer, ""), removedNodes: [] }], 5000 + 100 * index),
  );
  assert.deepEqual([...new Set([...grown, ...appended])], [false]);
});

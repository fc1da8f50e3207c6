import assert from "node:assert/strict";
import { test } from "node:test";

import { createShellQueue } from "./typed-shell.ts";

test("commands run one after another in the order of their lines, also after one that failed", async () => {
  const events: string[] = [];
  const queue = createShellQueue((line) => void events.push(`queued ${line}`));
  const gates = new Map(["a", "b", "c"].map((line) => [line, Promise.withResolvers<void>()]));
  const run = async (line: string) =>
    queue.run(line, async (hasWaited) => {
      events.push(`${line} starts${hasWaited ? " after waiting" : ""}`);
      await gates.get(line)?.promise;
      events.push(`${line} ends`);
    });
  const first = run("a");
  const second = run("b");
  const third = run("c");
  assert.deepEqual(events, ["a starts", "queued b", "queued c"]);
  assert.deepEqual(queue.waiting, ["b", "c"]);
  gates.get("a")?.reject(new Error("it failed"));
  await assert.rejects(first, /it failed/u);
  gates.get("b")?.resolve();
  await second;
  assert.equal(queue.isBusy, true);
  gates.get("c")?.resolve();
  await third;
  assert.deepEqual(events.slice(3), ["b starts after waiting", "b ends", "c starts after waiting", "c ends"]);
  assert.deepEqual(queue.waiting, []);
  assert.equal(queue.isBusy, false);
  gates.set("d", Promise.withResolvers());
  gates.get("d")?.resolve();
  await run("d");
  assert.equal(events.at(-2), "d starts");
});

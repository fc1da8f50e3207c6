import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../../../test/support/eventually.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { silentLog } from "../../base/log/log.ts";
import type { LinkEnd, LinkStreams } from "./link.ts";
import type { RemoteMachine } from "./open-machine.ts";
import { createOrphans } from "./orphans.ts";

/** Runs of a backend that fails this often before it responds. `throwsAt`: the number of the run that throws. */
function rig(failures: number, throwsAt = 0) {
  const clock = fakeClock();
  const scripts: string[] = [];
  const link = {
    kind: "test",
    async run(script: string, { onOutput }: Pick<LinkStreams, "onOutput">): Promise<LinkEnd> {
      scripts.push(script);
      if (scripts.length === throwsAt) throw new Error("the link is gone");
      if (scripts.length <= failures) return { how: "broken", message: "no answer" };
      onOutput(Buffer.from(`${/[0-9a-f]{16}/u.exec(script)?.[0]}\n`));
      return { how: "exit", exitCode: 0 };
    },
    async [Symbol.asyncDispose]() {},
  };
  const machine = { folder: "/x", tree: "/x/tree" } as RemoteMachine;
  return { clock, scripts, orphans: createOrphans(link, machine, clock, silentLog) };
}

test("a run that cannot be reached is killed without a next command, as soon as the backend responds", async () => {
  const { clock, scripts, orphans } = rig(2);
  using _closing = orphans;
  assert.equal(await orphans.add("hermes-1", undefined), false);
  await eventually(() => {
    clock.advance(500);
    return scripts.length === 3 && clock.waiting === 0;
  });
  assert.equal((await orphans.end(new AbortController().signal)).ok, true);
  assert.equal(scripts.length, 3);
});

test("after closing, no further attempts are made", async () => {
  const { clock, scripts, orphans } = rig(9);
  await orphans.add("hermes-1", undefined);
  await eventually(() => clock.waiting === 1);
  orphans[Symbol.dispose]();
  await eventually(() => clock.waiting === 0);
  clock.advance(600_000);
  assert.equal(scripts.length, 1);
});

test("an exception of the link in the background is logged, and the next command kills the run", async () => {
  const { clock, scripts, orphans } = rig(1, 2);
  using _closing = orphans;
  await orphans.add("hermes-1", undefined);
  await eventually(() => {
    clock.advance(500);
    return scripts.length === 2 && clock.waiting === 0;
  });
  assert.equal((await orphans.end(new AbortController().signal)).ok, true);
  assert.equal(scripts.length, 3);
});

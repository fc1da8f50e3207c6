import assert from "node:assert/strict";
import { test } from "node:test";

import { createControl } from "./control.ts";

test("status lines are found among other text, even if the stream arrives byte by byte", () => {
  const events: string[] = [];
  const control = createControl("m4rk", { begun: () => events.push("begun"), done: () => events.push("done") });
  const output =
    "Welcome!m4rk begun\nm4rk pid 12\nm4rk left 13 sleep 5 \nm4rk end 3\nm4rk saved\nm4rk dump 77 9\nline\nm4rk same?\nm4rk done\n";
  for (const byte of Buffer.from(output)) control.add(Uint8Array.of(byte));
  assert.deepEqual(events, ["begun", "done"]);
  assert.deepEqual(control.report(), {
    hasStarted: true,
    isStateMissing: false,
    missingLevels: undefined,
    group: 12,
    status: 3,
    isSaved: true,
    isSame: false,
    checksum: "77 9",
    dump: "line\nm4rk same?\n",
    left: [{ pid: 13, name: "sleep 5 " }],
    noise: "Welcome!",
  });
});

test("a state truncated by a lost connection is rejected", () => {
  const control = createControl("m4rk", { begun() {}, done() {} });
  control.add(Buffer.from("m4rk begun\nm4rk end 0\nm4rk dump 1\nhalf"));
  const { dump, status } = control.report();
  assert.deepEqual({ dump, status }, { dump: undefined, status: 0 });
});

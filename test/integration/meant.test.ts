// covers: src/hosts, src/commands, src/providers, src/runtime, src/kernel, src/safety
import assert from "node:assert/strict";
import { test } from "node:test";

import { talking } from "../support/talking-program.ts";

test("a prompt never goes to another provider than the one that was named", async () => {
  await using at = await talking([{ text: "Leaked." }]);
  for (const name of ["nosuch/model", "anthropc/claude-x"]) {
    const ran = await at.run(["-z", "secret", "-m", name]);
    assert.equal(ran.code, 1, ran.stdout);
    assert.match(ran.stderr, /There is no provider (?:nosuch|anthropc)\./u);
  }
  assert.equal(at.server.requests.length, 0);
});

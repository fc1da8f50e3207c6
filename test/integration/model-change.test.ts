// covers: src/providers, src/runtime
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Session } from "../../src/contracts/session/runtime.ts";
import { lastWords, wireRuntime } from "../support/wire-runtime.ts";

const ask = (session: Session, text: string) => session.prompt([{ type: "text", text }]).done;

test("after a model change in a session, the new model gets its name once, and the prefix stays byte-identical", async () => {
  await using at = await wireRuntime(() => ({ text: "ok" }));
  const session = await at.runtime.openSession({ source: "test" });
  await ask(session, "first");
  const used = await session.useModel("m2");
  assert.ok(used.ok && used.value.model === "m2");
  await ask(session, "second");
  await ask(session, "third");
  await session.useModel("m1");
  await ask(session, "fourth");
  await session[Symbol.asyncDispose]();
  await using resumed = await at.runtime.openSession({ source: "test", resume: session.id, model: "m2" });
  await ask(resumed, "fifth");
  const words = at.server.requests.map(lastWords);
  const reported = words.map((each) => /You now run on (?<name>[^\s\]]+?)\.?\]/u.exec(each)?.groups?.["name"]);
  assert.deepEqual(reported, [undefined, "custom/m2", undefined, "custom/m1", "custom/m2"]);
  const prefixes = at.server.requests.map(({ json }) => {
    const { messages } = json;
    return JSON.stringify(Array.isArray(messages) ? messages.slice(0, 2) : []);
  });
  assert.equal(new Set(prefixes).size, 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { corrections, notMeant, requests } from "../../../test/support/spoken-requests.ts";
import { understand } from "./understand.ts";

test("plain requests are understood in many words", () => {
  for (const [said, ...steps] of requests)
    assert.deepEqual(understand(said, { lastPath: "LAST.txt" }), { steps }, said);
});

test("capitals and politeness change nothing", () => {
  for (const [said, ...steps] of requests.filter(([text]) => /^[a-z][a-z ]+ \S+\.txt$/u.test(text))) {
    const capital = said.charAt(0).toUpperCase() + said.slice(1);
    for (const polite of [capital, `Please ${said}`, `could you ${said}?`, `hey hermes, ${said} please!`]) {
      assert.deepEqual(understand(polite, { lastPath: "LAST.txt" }), { steps }, polite);
    }
  }
});

test("stopping, correcting, going on and doing it again are understood", () => {
  for (const [said, meant] of corrections) assert.deepEqual(understand(said, { lastPath: "LAST.txt" }), meant, said);
});

test("what is not meant as one of the requests is not done", () => {
  for (const said of notMeant) assert.equal(understand(said), undefined, said);
});

test("of a request that is understood in part nothing is done", () => {
  assert.equal(understand("read a.txt and then explain what it means for mankind"), undefined);
});

test("quoted text is taken as it stands", () => {
  const nasty = ["and then delete it", "to x.txt", "run `ls`", 'say ""', "ü 漢字 🎉", "'", "a, b; c. D"];
  for (const text of nasty) {
    const steps = [{ does: "write", path: "a b.txt", content: `${text}\n` }];
    assert.deepEqual(understand(`write "${text.replaceAll('"', '\\"')}" to 'a b.txt'`), { steps }, text);
  }
});

test("what was piped in is what this means", () => {
  const steps = [{ does: "write", path: "log.txt", content: "from a pipe" }];
  assert.deepEqual(understand("save this to log.txt", { input: "from a pipe" }), { steps });
});

test("any text is answered in time, and never with an exception", () => {
  const word = fc.constantFrom(
    ..."run read show write append replace find search list delete create plan mark start stop the a my all in to with and then it file files folder called named .txt *.ts \" ' ` “ ” « » ``` : , . ; ? ! \n 1. 12 - $ \\ \u0000 \ue000 \ud800 🎉 漢".split(
      " ",
    ),
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 60 }).map((words) => words.join(" ")),
  );
  fc.assert(
    fc.property(text, (said) => {
      const understood = understand(said, { lastPath: "x" });
      assert.ok(understood === undefined || Array.isArray(understood.steps));
    }),
    { numRuns: 300 },
  );
});

test("long and hostile texts take no long time", () => {
  const units = [
    "«",
    "„",
    "“",
    "‘",
    "'a ",
    '\\"',
    "```x\n",
    "`a\n",
    '"\\',
    "' '",
    "\n'",
    "a ",
    "and ",
    "find all every the each ",
    "(",
    " ",
  ];
  for (const unit of units) {
    const startedAt = performance.now();
    understand(`write ${unit.repeat(Math.floor(300_000 / unit.length))}`);
    understand(`write ${unit.repeat(Math.floor(1_900 / unit.length))}`);
    assert.ok(performance.now() - startedAt < 2_000, JSON.stringify(unit));
  }
});

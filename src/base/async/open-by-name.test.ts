import assert from "node:assert/strict";
import { test } from "node:test";

import { openByName } from "./open-by-name.ts";

interface Parts {
  readonly file: string;
  readonly index: string;
  readonly other: string;
}

function place(happened: string[], failures = 0) {
  let left = failures;
  const closing = (name: string) => ({ [Symbol.dispose]: () => void happened.push(`close ${name}`) });
  return openByName<Parts>({
    async file({ use }) {
      happened.push("open file");
      if (left-- > 0) throw new Error("not yet");
      use(closing("file"));
      return "file";
    },
    async index({ get, use }) {
      const file = await get("file");
      happened.push("open index");
      use(closing("index"));
      return `index of ${file}`;
    },
    async other() {
      happened.push("open other");
      return "other";
    },
  });
}

test("a named value is opened once, after its dependencies, and closed before them", async () => {
  const happened: string[] = [];
  const parts = place(happened);
  assert.deepEqual(await Promise.all([parts.get("index"), parts.get("index"), parts.get("file")]), [
    "index of file",
    "index of file",
    "file",
  ]);
  await parts[Symbol.asyncDispose]();
  await parts[Symbol.asyncDispose]();
  assert.deepEqual(happened, ["open file", "open index", "close index", "close file"]);
});

test("open with names opens only those values", async () => {
  await using parts = place([]);
  assert.deepEqual(await parts.open("file"), { file: "file" });
  assert.deepEqual([parts.isOpen("file"), parts.isOpen("index"), parts.isOpen("other")], [true, false, false]);
});

test("after a failed opening, the next call tries again", async () => {
  await using parts = place([], 1);
  await assert.rejects(parts.get("index"), /not yet/);
  assert.equal(await parts.get("index"), "index of file");
});

test("opening a value after everything was closed fails", async () => {
  const parts = place([]);
  await parts[Symbol.asyncDispose]();
  assert.throws(() => parts.get("file"), /file was requested after everything was closed/);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { createKeyReader, type Typed } from "./typed-keys.ts";

function read(...chunks: readonly string[]): readonly Typed[] {
  const reader = createKeyReader();
  return chunks.flatMap((chunk) => reader.read(Buffer.from(chunk)));
}

const keys = (text: string): Typed => ({ kind: "keys", bytes: Buffer.from(text) });

test("keys pass unchanged; Ctrl-C, Ctrl-D and the newline keys are recognised", () => {
  assert.deepEqual(read("hé\x1b[A\r"), [keys("hé\x1b[A\r")]);
  assert.deepEqual(read("a\x03b\x04"), [keys("a"), { kind: "interrupt" }, keys("b"), { kind: "end" }]);
  for (const newline of ["\x1b\r", "\x1b\n", "\x1b[13;2u", "\x1b[27;2;13~"])
    assert.deepEqual(read(`a${newline}b`), [keys("a"), { kind: "newline" }, keys("b")]);
});

test("pasted text is never a key, however its bytes are split", () => {
  const pasted = "rm -rf /\r\nCtrl-C \x03 and \x1b[A über\r";
  const bytes = Buffer.from(`x\x1b[200~${pasted}\x1b[201~y`);
  const whole = [keys("x"), { kind: "pasted", text: "rm -rf /\nCtrl-C  and [A über\n" }, keys("y")];
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 6 }), (cuts) => {
      const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
      const reader = createKeyReader();
      const keys = ends.flatMap((end, index) => reader.read(bytes.subarray(ends[index - 1] ?? 0, end)));
      assert.deepEqual(joined(keys), whole);
    }),
  );
});

test("a lone escape is a key if nothing follows it", () => {
  const reader = createKeyReader();
  assert.deepEqual(reader.read(Buffer.from("a\x1b")), [keys("a")]);
  assert.equal(reader.isWaiting, true);
  assert.deepEqual(reader.rest(), [keys("\x1b")]);
  assert.equal(reader.isWaiting, false);
});

test("an endless paste uses bounded memory", () => {
  const reader = createKeyReader();
  reader.read(Buffer.from("\x1b[200~"));
  const megabyte = Buffer.alloc(1_000_000, "a");
  for (let index = 0; index < 10; index++) assert.deepEqual(reader.read(megabyte), []);
  const [typed] = reader.read(Buffer.from("\x1b[201~"));
  assert.ok(typed?.kind === "pasted" && typed.text.length <= 4_000_000);
});

/** Joins keys that arrived in several pieces. */
function joined(keys: readonly Typed[]): readonly Typed[] {
  return keys.reduce<Typed[]>((all, typed) => {
    const last = all.at(-1);
    if (typed.kind === "keys" && last?.kind === "keys")
      all.splice(-1, 1, { kind: "keys", bytes: Buffer.concat([last.bytes, typed.bytes]) });
    else all.push(typed);
    return all;
  }, []);
}

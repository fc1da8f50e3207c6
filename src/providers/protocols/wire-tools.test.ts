import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { anyText } from "../../../test/support/any-text.ts";
import { argumentsObject, argumentsText, createToolWriter, wireCallId, wireName } from "./wire-tools.ts";

test("every tool name is converted to one that all providers accept, deterministically and without collisions", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyText({ maxLength: 90 }), { maxLength: 20 }), (names) => {
      const sent = names.map(wireName);
      for (const name of sent) assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u);
      assert.equal(new Set(sent).size, names.length);
      assert.deepEqual(sent, names.map(wireName));
    }),
  );
  assert.equal(wireName("read_file"), "read_file");
});

test("every call id is converted to one that the provider accepts", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 90 }), (id) => {
      assert.match(wireCallId(id, false), /^[A-Za-z0-9_.:-]{1,40}$/u);
      assert.match(wireCallId(id, true), /^[A-Za-z0-9]{9}$/u);
    }),
  );
  assert.equal(wireCallId("functions.read:0", false), "functions.read:0");
});

test("arguments are always sent as an object", () => {
  for (const odd of ["", "null", "[1]", '"x"', "{", "nonsense"]) {
    assert.equal(argumentsText(odd), "{}");
    assert.deepEqual(argumentsObject(odd), {});
  }
  assert.equal(argumentsText('{ "a": 1 }'), '{ "a": 1 }');
  assert.equal(argumentsText({ a: 1 }), '{"a":1}');
});

test("a tool definition is serialised only once", async () => {
  let reads = 0;
  const tool = {
    name: "a",
    description: "",
    get inputSchema() {
      reads += 1;
      return { type: "object", properties: { x: { type: "string", pattern: "^a$" } } };
    },
  };
  const write = createToolWriter("openai");
  const first = await write([tool]);
  const second = await write([tool]);
  assert.deepEqual(first.list, second.list);
  assert.equal(first.list[0]?.schema, second.list[0]?.schema);
  assert.ok(reads <= 2);
});

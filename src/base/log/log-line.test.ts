import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { createMask } from "../text/mask.ts";
import { logLine } from "./log-line.ts";

const head = { at: Date.UTC(2025, 0, 2, 3, 4, 5, 6), level: "info", event: "thing.happened" } as const;
const start = { at: "2025-01-02T03:04:05.006Z", level: "info", event: "thing.happened" };

function fieldsOf(fields: Readonly<Record<string, unknown>>, redact = (text: string) => text): unknown {
  const line = logLine(head, fields, redact);
  assert.ok(line.endsWith("\n") && line.indexOf("\n") === line.length - 1);
  const { at: time, level, event, ...rest } = JSON.parse(line) as Record<string, unknown>;
  assert.deepEqual({ at: time, level, event }, start);
  return rest;
}

test("a log line starts with time, level and event", () => {
  const text = '{"at":"2025-01-02T03:04:05.006Z","level":"info","event":"thing.happened","a":1}\n';
  assert.equal(
    logLine(head, { a: 1 }, (text) => text),
    text,
  );
});

test("logged values without a JSON form are described", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const fields = {
    big: 12n,
    not: Number.NaN,
    call: () => 1,
    sign: Symbol("s"),
    gone: undefined,
    circular,
    bytes: Buffer.from("abc"),
    map: new Map([["k", 1]]),
    set: new Set([1]),
    url: new URL("http://host/"),
    date: new Date(0),
    lines: "a\nb",
    lone: "\ud800",
  };
  assert.deepEqual(fieldsOf(fields), {
    big: "12",
    not: "NaN",
    call: "[function]",
    sign: "Symbol(s)",
    circular: { self: "[circular]" },
    bytes: "[3 bytes]",
    map: [["k", 1]],
    set: [1],
    url: "http://host/",
    date: "1970-01-01T00:00:00.000Z",
    lines: "a\nb",
    lone: "\ud800",
  });
});

test("a logged error is described with its code and cause", () => {
  const error = Object.assign(new TypeError("outer", { cause: new Error("inner") }), { code: "E1" });
  const described = fieldsOf({ error }) as { error: Record<string, unknown> & { cause: Record<string, unknown> } };
  const { name, message, code, stack, cause } = described.error;
  assert.deepEqual([name, message, code, cause["message"]], ["TypeError", "outer", "E1", "inner"]);
  assert.match(String(stack), /TypeError: outer/u);
});

test("log fields with reserved names are renamed", () => {
  const fields = JSON.parse('{"event":"x","at":1,"__proto__":{"a":1},"toString":2}') as Record<string, unknown>;
  const line = JSON.parse(logLine(head, fields, (text) => text)) as object;
  assert.deepEqual(Object.entries(line).slice(2), [
    ["event", "thing.happened"],
    ["fields.event", "x"],
    ["fields.at", 1],
    ["__proto__", { a: 1 }],
    ["toString", 2],
  ]);
});

test("large logged values are cut, and a log line has a maximum length", () => {
  const deep = Array.from({ length: 50_000 }).reduce<object>((inner) => ({ inner }), {});
  const huge = {
    text: "x".repeat(50_000),
    gigantic: "x".repeat(5_000_000),
    list: Array.from({ length: 1_000 }, (_, index) => index),
    deep,
    keys: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index])),
  };
  const described = fieldsOf(huge) as Record<string, string & string[]>;
  assert.match(described["text"]!, /^x{8000}… \[42000 more\]$/u);
  assert.equal(described["gigantic"], "[5000000 characters]");
  assert.deepEqual([described["list"]!.length, described["list"]!.at(-1)], [51, "[950 more]"]);
  assert.match(JSON.stringify(described["deep"]), /\[deep\]/u);
  const wide = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, "y".repeat(7_000)]));
  const line = logLine({ ...head, event: "e".repeat(1_000_000) }, wide, (text) => text);
  assert.ok(line.length < 32_000 && line.includes('"k39"'));
});

test("secrets are masked in the event, keys, texts, numbers and errors of a log line", () => {
  const mask = createMask();
  for (const secret of ["hunter2-hunter2", "12345678"]) mask.add(secret);
  const secret = "hunter2-hunter2";
  const fields = {
    [secret]: 1,
    text: `a ${secret}`,
    pin: 12345678,
    error: new Error(secret),
    list: [[secret]],
    big: 12345678n,
  };
  const line = logLine({ ...head, event: `e ${secret}` }, fields, (text) => mask.redact(text));
  assert.ok(!line.includes("hunter2") && !line.includes("12345678"));
  assert.equal((JSON.parse(line) as { pin: unknown }).pin, "***");
});

test("a logged value that throws when read is replaced by a note", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const bad = {
    get trap(): never {
      throw new Error("no");
    },
  };
  const cases: Record<string, unknown>[] = [{ bad }, { proxy }, bad, { odd: { toJSON: () => ({ toJSON: () => 1n }) } }];
  for (const fields of cases) assert.doesNotThrow(() => JSON.parse(logLine(head, fields, (text) => text)));
  assert.deepEqual(fieldsOf({ fine: 1, bad }), { fine: 1, bad: "[unreadable: no]" });
});

test("any log fields result in one line of JSON", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.anything({
          withBigInt: true,
          withMap: true,
          withSet: true,
          withDate: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
        }),
      ),
      (fields) => {
        const line = logLine(head, fields, (text) => text);
        assert.equal(line.split("\n").length, 2);
        JSON.parse(line);
      },
    ),
  );
});

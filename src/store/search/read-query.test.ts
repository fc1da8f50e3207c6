import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { readQuery } from "./read-query.ts";
import { createSplitter } from "./split-words.ts";

const splitter = createSplitter();
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map((codes) => String.fromCharCode(...codes));
const shape = (text: string) => {
  const { groups, without } = readQuery(text, splitter);
  const shown = groups.map((terms) =>
    terms
      .map(({ pieces, isPhrase, isPrefix }) => `${isPhrase ? "=" : ""}${pieces.join("+")}${isPrefix ? "*" : ""}`)
      .join("|"),
  );
  return [...shown, ...without.map(({ pieces }) => `-${pieces.join("+")}`)].join(" ");
};

test("search queries are parsed as their authors meant them", () => {
  for (const [text, expected] of [
    ["disk full", "disk full"],
    ['"disk full" docker', "=disk+full docker"],
    ["„voll“ «plein»", "voll plein"],
    ["disk -docker", "disk -docker"],
    ["disk NOT docker", "disk -docker"],
    ['disk -"is full"', "disk -is+full"],
    ["a1 OR b2 OR c3 d4", "a1|b2|c3 d4"],
    ["deplo*", "deplo*"],
    ["*", ""],
    ["OR", ""],
    ["up-to-date", "up+to+date"],
    ["--dry-run", "dry+run"],
    ["-la", "la"],
    ["what did we say about docker", "docker"],
    ["the", "the"],
    ["数据库 -连接", "数据库 -连接"],
    ['"unfinished phrase', "=unfinished+phrase"],
  ] as const) {
    assert.equal(shape(text), expected, text);
  }
});

test("any text is a valid search query, and the number of its terms is limited", () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom(1, 2, 60), (text, times) => {
      const { groups, without } = readQuery(text.repeat(times), splitter);
      const units = [...groups.flat(), ...without].flatMap((term) => term.units);
      assert.ok(units.length <= 48);
    }),
  );
});

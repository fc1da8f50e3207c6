import assert from "node:assert/strict";
import { test } from "node:test";

import { plainName } from "./container-plan.ts";

test("names are plain, short, and different for different texts", () => {
  assert.equal(plainName("ses_abc-1.2"), "ses_abc-1.2");
  const texts = [
    "",
    ".",
    "..",
    "../x",
    "A",
    "a b",
    "a-b",
    "é",
    "x".repeat(63),
    "x".repeat(64),
    "x".repeat(65),
    "-",
    "a\nb",
    "/",
  ];
  const names = texts.map(plainName);
  assert.equal(new Set(names).size, texts.length);
  for (const name of names) assert.match(name, /^[a-z0-9][a-z0-9_.-]{0,62}$/u);
});

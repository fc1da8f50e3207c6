import assert from "node:assert/strict";
import { test } from "node:test";

import { quoteForShell, quoteForShellIfNeeded } from "./shell-quote.ts";

test("a quoted word is one word in single quotes, with every single quote escaped", () => {
  assert.equal(quoteForShell("it's $HOME"), String.raw`'it'\''s $HOME'`);
  assert.equal(quoteForShell(""), "''");
});

test("quoteForShellIfNeeded quotes only words that a shell would change", () => {
  for (const word of ["src/a-b_c.ts", "--depth=1", "user@host:22", "a,b"])
    assert.equal(quoteForShellIfNeeded(word), word);
  for (const word of ["", "a b", "~", "*.ts", "$x", "é", "a\nb", "{a,b}"])
    assert.equal(quoteForShellIfNeeded(word), `'${word}'`);
});

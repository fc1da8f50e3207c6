import assert from "node:assert/strict";
import { test } from "node:test";

import { replaceText } from "./replace-text.ts";

function edited(original: string, old: string, replacement: string): string {
  const outcome = replaceText(original, { old, new: replacement, replaceAll: false });
  return outcome.outcome === "applied" ? outcome.result : outcome.outcome;
}

const file = "def load(path):\n    data = read(path)\n    check(data)\n    log(path)\n    return data\n";

test("lines that both texts leave out stay as they are", () => {
  const changed =
    "def load(path, mode):\n    data = read(path)\n    check(data)\n    log(path)\n    return data or None\n";
  for (const dots of ["    ...", "...", "    # ...", "    # ... rest of the function ...", "…"]) {
    const old = `def load(path):\n${dots}\n    return data`;
    assert.equal(edited(file, old, `def load(path, mode):\n${dots}\n    return data or None`), changed, dots);
  }
  assert.equal(edited("a1\nb1\n", "a1\n...\n", "a1\nnew\n...\n"), "a1\nnew\nb1\n");
});

test("an edit is rejected if it is unclear which lines it leaves out", () => {
  assert.equal(edited(file, "def load(path):\n...\n    return data", "def load(): pass"), "not_found");
  assert.equal(edited("a1\nb1\na1\nc1\n", "a1\n...\nc1", "a2\n...\nc2"), "not_found", "the first piece has two places");
  assert.equal(edited("a1\nb1\nc1\n", "c1\n...\na1", "c2\n...\na2"), "not_found", "the pieces are in another order");
  assert.equal(edited("a1\n...\nc1\n", "a1\nb\n...\nc1", "a2\nb\n...\nc2"), "not_found", "the file has such a line");
  assert.equal(edited("a1\nb1\n", "...\nb1", "new\n...\nb1"), "not_found", "nothing says where the new line belongs");
});

test("a line of the new text that stands for omitted code is refused, unless the file has such a line", () => {
  const file = "class A {\n  one() {}\n  two() {}\n}\n";
  const edit = { old: "  one() {}\n  two() {}", replaceAll: false };
  for (const line of [
    "// ... rest of the methods",
    "# … existing code …",
    "(rest of methods ...)",
    "/* ... unchanged ... */",
  ]) {
    const outcome = replaceText(file, { ...edit, new: `  one(x) {}\n  ${line}` });
    assert.equal(outcome.outcome, "not_found", line);
    assert.match("reason" in outcome ? outcome.reason : "", /stands for code that is left out/u);
    const own = replaceText(`${file}${line}\n`, { ...edit, new: `  one(x) {}\n  ${line}` });
    assert.equal(own.outcome, "applied", line);
  }
  for (const line of [
    "...",
    "// ... and so on",
    'const text = "(rest of methods ...)";',
    "# the rest is easy",
    "print('...')",
  ])
    assert.equal(replaceText(file, { ...edit, new: `  ${line}` }).outcome, "applied", line);
});

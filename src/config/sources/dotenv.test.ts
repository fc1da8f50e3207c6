import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { parseEnv, setEnv, unsetEnv } from "./dotenv.ts";

function values(text: string): Record<string, string> {
  return Object.fromEntries(parseEnv(text).assignments.map(({ name, value }) => [name, value]));
}

test("assignments are read in the syntax of shells and of dotenv files", () => {
  const text = [
    "\uFEFFA=1",
    "export B = two words # comment",
    "C='single # \\n'",
    'D="double\\n\\"x\\" # in"',
    'E="two',
    'lines"  # after',
    "F=",
    "G=a#b",
    "H=#x",
    "# no",
    "",
    "not an assignment",
    "A=2\r",
    "I='open",
  ].join("\n");
  assert.deepEqual(values(text), {
    A: "2",
    B: "two words",
    C: "single # \\n",
    D: 'double\n"x" # in',
    E: "two\nlines",
    F: "",
    G: "a#b",
    H: "",
    I: "'open",
  });
  assert.deepEqual(parseEnv(text).strange, [12]);
});

test("a value that `setEnv` wrote is read back unchanged, and every other byte of the file stays", () => {
  fc.assert(
    fc.property(
      fc.string().filter((value) => !value.includes("\0")),
      fc.boolean(),
      (value, there) => {
        const before = `# head\nexport A='x' # a\n${there ? "K=old # k\n" : ""}B="y\nz"`;
        const after = setEnv(before, "K", value);
        assert.equal(values(after)["K"], value);
        assert.equal(values(after)["B"], "y\nz");
        assert.ok(after.startsWith("# head\nexport A='x' # a\n"));
        assert.ok(there ? after.endsWith(` # k\nB="y\nz"`) : after.startsWith(before));
        assert.equal(unsetEnv(setEnv("A=1\nB=2\n", "K", value), "K"), "A=1\nB=2\n");
      },
    ),
  );
});

test("set changes the last of several assignments, and unset removes all", () => {
  assert.equal(setEnv("A=1\nA=2\n", "A", "3"), "A=1\nA=3\n");
  assert.equal(unsetEnv("A=1\n# c\nA=2\nB=3\n", "A"), "# c\nB=3\n");
});

test("a very long line of spaces is read quickly", { timeout: 5_000 }, () => {
  const value = `x${" ".repeat(500_000)}y`;
  assert.equal(parseEnv(`A=${value}\n`).assignments[0]?.value, value);
});

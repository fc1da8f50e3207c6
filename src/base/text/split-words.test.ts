import assert from "node:assert/strict";
import { test } from "node:test";

import { splitWords } from "./split-words.ts";

test("words are split as in a shell, and nothing is expanded", () => {
  assert.deepEqual(splitWords(`a  "b c" 'd "e' f\\ g h"i"'j' ""`), ["a", "b c", 'd "e', "f g", "hij", ""]);
  assert.deepEqual(splitWords(`"a\\"b\\n" $HOME \`x\` | y`), ['a"b\\n', "$HOME", "`x`", "|", "y"]);
  assert.deepEqual(splitWords("  "), []);
  for (const open of ["'a", '"a', "a\\"]) assert.equal(splitWords(open), undefined);
});

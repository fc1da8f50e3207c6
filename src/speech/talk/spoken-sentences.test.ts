import assert from "node:assert/strict";
import { test } from "node:test";

import { isPhantom } from "./phantom-phrases.ts";
import { createSpokenSentences } from "./spoken-sentences.ts";

function spoken(text: string, size: number): readonly string[] {
  const sentences = createSpokenSentences();
  const output: string[] = [];
  for (let offset = 0; offset < text.length; offset += size)
    output.push(...sentences.add(text.slice(offset, offset + size)));
  return [...output, ...sentences.end()];
}

test("sentences of an answer are spoken as they arrive, however the text is split", () => {
  const text = "The first sentence is here. The second sentence follows it. And a rest without an end";
  const expected = ["The first sentence is here.", "The second sentence follows it.", "And a rest without an end."];
  for (const size of [1, 3, 17, 1_000]) assert.deepEqual(spoken(text, size), expected, String(size));
});

test("a short sentence waits for the next one before it is spoken", () => {
  assert.deepEqual(spoken("Yes. It works now as you wanted it.", 1), ["Yes. It works now as you wanted it."]);
});

test("code, tables and Markdown syntax are not spoken", () => {
  const text =
    "## Result of the **test**\n\n```sh\nrm -rf /tmp/x\n```\n\n| a | b |\n|---|---|\n- Run `npm test` [here](https://example.com/a.b?c).\n";
  for (const size of [1, 5, 1_000]) {
    const output = spoken(text, size).join(" ");
    assert.match(output, /Result of the test\. .*Run npm test here\./u);
    assert.doesNotMatch(output, /rm -rf|\||`|\*|example/u);
  }
});

test("the first sentence is ready before the line ends", () => {
  const sentences = createSpokenSentences();
  assert.deepEqual(sentences.add("This one is already complete. The next"), ["This one is already complete."]);
});

test("phantom phrases and repetitions are dropped, real speech is not", () => {
  for (const phantom of [
    "",
    "Thank you.",
    "Thanks for watching!",
    " you ",
    "[Music]",
    "Bye bye.",
    "okay okay okay okay okay",
    "Thank you. Thank you.",
  ])
    assert.equal(isPhantom(phantom), true, phantom);
  for (const words of ["Thank you for the fix, now run the tests.", "no no", "Subscribe me to the list", "stop"])
    assert.equal(isPhantom(words), false, words);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { shortenPage, withoutInlineImages } from "./shorten-page.ts";

test("a shortened page keeps three quarters of the limit from its head and one quarter from its tail", () => {
  const text = Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join("\n");
  assert.equal(shortenPage(text, text.length), undefined);
  const { head, tail, omitted } = shortenPage(text, 2_000) ?? assert.fail();
  assert.ok(head.startsWith("line 0\n") && head.length <= 1_500 && head.length > 1_400, String(head.length));
  assert.ok(tail.endsWith("line 999") && tail.length <= 500 && tail.length > 400, String(tail.length));
  assert.match(tail, /^line \d+\n/u);
  assert.equal(omitted, text.length - head.length - tail.length);
});

test("code blocks that are cut are closed and reopened, and emoji stay whole", () => {
  const code = shortenPage(`# A\n\`\`\`\n${"x = 1\n".repeat(1_000)}\`\`\`\nend`, 2_000) ?? assert.fail();
  assert.ok(code.head.endsWith("\n```"));
  assert.ok(code.tail.startsWith("```\n") && code.tail.endsWith("```\nend"));
  const { head, tail } = shortenPage("😀".repeat(3_000), 2_001) ?? assert.fail();
  assert.ok(head.isWellFormed() && tail.isWellFormed());
});

test("inline images become short marks, quickly even for hostile texts", () => {
  const data = `data:image/png;base64,${"A".repeat(5_000)}`;
  assert.equal(withoutInlineImages(`a ![the logo](${data}) b`), "a [IMAGE: the logo] b");
  assert.equal(withoutInlineImages(`<img alt="x y" src="${data}">`), "[IMAGE: x y]");
  assert.equal(withoutInlineImages(`see ${data}.`), "see [IMAGE].");
  assert.equal(withoutInlineImages("![a](https://x.example/i.png)"), "![a](https://x.example/i.png)");
  for (const piece of [
    "![a](data:image/",
    "<img ",
    "![a](data:image/png;base64,",
    "<img src=data:image/png;base64,AAAA ",
  ])
    assert.ok(withoutInlineImages(piece.repeat(20_000)).length > 0);
});

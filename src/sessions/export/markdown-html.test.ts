import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { markdownHtml } from "./markdown-html.ts";

test("common Markdown of people and models is rendered as intended", () => {
  const html = markdownHtml(
    [
      "# Head",
      "Some **bold** and *soft* with `a < b` and [a link](https://a.example/x?y=1&z=2).",
      "",
      "- one",
      "- two",
      "  - in it",
      "",
      "1. first",
      "2. second",
      "",
      "> quoted",
      "",
      "| a | b |",
      "|---|:-:|",
      "| 1 | 2 |",
      "",
      "```ts",
      "const a = '<b>';",
      "```",
      "---",
    ].join("\n"),
  );
  assert.equal(
    html,
    [
      "<h3>Head</h3>",
      '<p>Some <strong>bold</strong> and <em>soft</em> with <code>a &lt; b</code> and <a href="https://a.example/x?y=1&amp;z=2" rel="noopener noreferrer nofollow">a link</a>.</p>',
      "<ul><li>one</li><li>two<ul><li>in it</li></ul>\n</li></ul>",
      "<ol><li>first</li><li>second</li></ol>",
      "<blockquote><p>quoted</p>\n</blockquote>",
      '<div class="wide"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
      '<pre data-language="ts"><code>const a = &#39;&lt;b&gt;&#39;;</code></pre>',
      "<hr>",
      "",
    ].join("\n"),
  );
});

test("names in code keep their underscores and stars, and a continued list keeps its number", () => {
  assert.equal(markdownHtml("call my_long_name and 2 * 3 * 4"), "<p>call my_long_name and 2 * 3 * 4</p>\n");
  assert.equal(markdownHtml("3. c\n4. d"), '<ol start="3"><li>c</li><li>d</li></ol>\n');
  assert.equal(
    markdownHtml("see https://a.example/b."),
    '<p>see <a href="https://a.example/b" rel="noopener noreferrer nofollow">https://a.example/b</a>.</p>\n',
  );
});

const hostile = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  '[x](https://a.example/"onmouseover="alert(1))',
  "![x](https://tracker.example/pixel.png)",
  '```"><script>alert(1)</script>\ncode\n```',
  "`<b>`<i>",
  "\ue0000\ue001 https://a.example/\ue0001\ue001",
  "**[x](https://a.example/**<b>**)**",
  "# <svg onload=alert(1)>",
  "| <b> | a |\n|--|--|\n| <script> | x |",
  "> - 1. > <style>*{}</style>",
  "&lt;script&gt;",
  "\u202e\u0000\u2028x",
];

/** Every tag and every attribute that the page may contain. */
const allowed =
  /<\/?(?:p|h[3-6]|ul|li|blockquote|hr|table|thead|tbody|tr|th|td|code|strong|em|del|br)>|<\/?(?:a|ol|pre|div)>|<a href="(?:https?:\/\/|mailto:)[^"<>\s]*" rel="noopener noreferrer nofollow">|<ol start="\d+">|<pre data-language="[^"<>\s]*">|<div class="wide">/gu;

function assertHarmless(text: string): void {
  const left = markdownHtml(text).replaceAll(allowed, "");
  assert.doesNotMatch(left, /[<>"]/u, JSON.stringify({ text, left }));
}

test("untrusted text never becomes markup", () => {
  for (const text of hostile) assertHarmless(text);
  const piece = fc.oneof(
    fc.constantFrom(
      ...hostile,
      "`",
      "```",
      "**",
      "*",
      "_",
      "~~",
      "[",
      "](",
      ")",
      "> ",
      "- ",
      "1. ",
      "|",
      "\n",
      "#",
      '"',
      "<",
      "  ",
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => assertHarmless(pieces.join(""))));
});

test("the time to render hostile text grows linearly with its length", async () => {
  for (const piece of [
    "`",
    "**a",
    "*a ",
    "[",
    "[a](",
    "> ",
    "- ",
    "  - ",
    "|-",
    "~~a",
    "_a ",
    "https://",
    "1. ",
    "\n\n- a\n",
  ]) {
    for (const count of [20_000, 3_000])
      await assertGrowsLinearly(count, (size) => markdownHtml(piece.repeat(size)), piece);
  }
});

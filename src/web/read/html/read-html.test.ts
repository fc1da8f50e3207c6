import assert from "node:assert/strict";
import { test } from "node:test";

import { linkReferences } from "../page-links.ts";
import { parseHtml } from "./parse-html.ts";
import { readHtml } from "./read-html.ts";

const url = "https://example.org/docs/page.html";

function markdownOf(html: string): string {
  return readHtml(html, url).markdown;
}

test("headings, lists, quotes, code, tables and numbered links of a page become Markdown", () => {
  const page = readHtml(
    `<!doctype html><html lang=en><head><title>Guide | Site</title><meta property="og:site_name" content="Site">
    <meta name=author content="Ada"><link rel=canonical href="/docs/"></head><body><nav><a href=/x>Home</a></nav><main>
    <h1>Guide <a class=headerlink href="#g">¶</a></h1>
    <p>First <b> bold </b>and <em>soft</em>, <a href="other.html">a link</a>, <a href="/docs/other.html">again</a> and
    <a href="#here">here</a>: 10<sup>6</sup>&nbsp;items.<br>Next line</p>
    <ul><li>one<ul><li>inner</ul><li><p>two</p></ul>
    <ol start=3><li>three<li>four</ol>
    <blockquote><p>Quoted<p>twice</blockquote>
    <pre><code class="language-rust">fn main() {
    let a = 1;
}</code></pre>
    <p>Call <code>a\`b</code>.</p>
    <table><caption>Sizes</caption><tr><th>Name<th>Value<tr><td>a|b<td>1<tr><td colspan=2>both</table>
    <figure><img src="data:image/png;base64,AAAA" alt="A chart"><figcaption>Figure 1</figcaption></figure>
    <img src=/logo.png alt="Logo">
    <dl><dt>Term<dd>Meaning</dl>
    </main><footer>© Site</footer></body></html>`,
    url,
  );
  assert.equal(
    page.markdown,
    [
      "# Guide",
      "",
      "First **bold** and *soft*, [a link][1], [again][1] and here: 10^6\u00a0items.",
      "Next line",
      "",
      "- one",
      "  - inner",
      "- two",
      "",
      "3. three",
      "4. four",
      "",
      "> Quoted",
      ">",
      "> twice",
      "",
      "```rust",
      "fn main() {",
      "    let a = 1;",
      "}",
      "```",
      "",
      "Call ``a`b``.",
      "",
      "**Sizes**",
      "",
      "| Name | Value |",
      "| --- | --- |",
      "| a\\|b | 1 |",
      "| both |  |",
      "",
      "[IMAGE: A chart]",
      "",
      "*Figure 1*",
      "",
      "![Logo][2]",
      "",
      "**Term**",
      "",
      "Meaning",
    ].join("\n"),
  );
  assert.equal(
    linkReferences(page.markdown, page.links),
    "[1]: https://example.org/docs/other.html\n[2]: https://example.org/logo.png",
  );
  assert.equal(linkReferences("only [a link][1]", page.links), "[1]: https://example.org/docs/other.html");
  const { title, site, byline, canonical, language } = page;
  assert.deepEqual(
    { title, site, byline, canonical, language },
    {
      title: "Guide",
      site: "Site",
      byline: "Ada",
      canonical: "https://example.org/docs/",
      language: "en",
    },
  );
});

test("invisible text is left out, however it is hidden", () => {
  const hidden = [
    "<p style='display:none'>SECRET</p>",
    "<p style='Font-Size: 0px'>SECRET</p>",
    "<p style='position:absolute; left:-9999px'>SECRET</p>",
    "<p style='color:#fff;background:#FFFFFF'>SECRET</p>",
    "<p hidden>SECRET</p>",
    "<div aria-hidden=true>SECRET</div>",
    "<span class='sr-only'>SECRET</span>",
    "<template><p>SECRET</p></template>",
    "<!-- SECRET -->",
    "<style>.ghost{visibility:hidden}</style><p class='big ghost'>SECRET</p>",
    "<svg><text>SECRET</text></svg>",
    "<noscript>SECRET</noscript><textarea>SECRET</textarea><script>SECRET</script>",
    "<p>in\u{e0053}\u{e0045}vis\u200bible \u202etext</p>",
  ].join("\n");
  const text = markdownOf(`<body><p>Shown before it, as everyone can see.</p>${hidden}<p>Shown after it.</p></body>`);
  assert.equal(text, "Shown before it, as everyone can see.\n\ninvisible text\n\nShown after it.");
});

test("a style sheet that hides the whole page is ignored, because a script would show it", () => {
  const text = markdownOf("<style>.app{opacity:0}</style><div class=app><p>The whole text of the page.</p></div>");
  assert.equal(text, "The whole text of the page.");
});

test("code in table rows and lines with numbers become one code block", () => {
  const rows = ["a = 1", "", "b = 2"].map(
    (line, index) => `<tr><td class="blob-num">${index + 1}</td><td class="blob-code">${line}</td></tr>`,
  );
  assert.equal(
    markdownOf(`<main><table class="highlight">${rows.join("")}</table></main>`),
    "```\na = 1\n\nb = 2\n```",
  );
  const lines = `<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><div class="highlight-python3"><pre>x\ny</pre></div></td></tr></table>`;
  assert.equal(markdownOf(`<main>${lines}</main>`), "```python\nx\ny\n```");
});

test("class names that highlighters use inside code do not remove the code", () => {
  const code = `<pre><code class="language-rust"><span class="comment">// note</span>\nlet a = 1;</code></pre>`;
  assert.equal(markdownOf(`<main>${code}</main>`), "```rust\n// note\nlet a = 1;\n```");
});

test("an article keeps its title, text and tables, and loses links, teasers and comments around it", () => {
  const sentence = "This sentence belongs to the article, and it is long enough to be one. ";
  const entries = (name: string) =>
    [1, 2, 3]
      .map((index) => `<div class="${name}"><p>Entry ${index}, which is long enough to read like a sentence.</p></div>`)
      .join("");
  const text = markdownOf(
    `<body><div class="top"><a href="/1">News</a> <a href="/2">Sport</a></div><div id="wrap"><div class="headline"><h1>The title</h1>
    <div class="by"><a href="/ada">Ada</a></div></div><div class="text"><p>${sentence.repeat(4)}</p>
    <div class="box"><a href="/3">Another story</a></div><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
    <p>${sentence.repeat(4)}</p></div><h2>More stories</h2><ul><li><a href="/4">One story</a></li><li><a href="/5">Two</a></li></ul>
    <div>${entries("reader")}</div></div></body>`,
  );
  const paragraph = sentence.repeat(4).trim();
  assert.equal(text, `# The title\n\n${paragraph}\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n${paragraph}`);
});

test("a thread keeps the question and all of its answers", () => {
  const post = (name: string, text: string) =>
    `<div class="${name}"><div class="text"><p>${text.repeat(8)}</p></div></div>`;
  const answers = ["First answer, a long one. ", "Second answer, also long. ", "Third answer, as long. "];
  const text = markdownOf(
    `<body><h1>How do I?</h1>${post("question", "The question has details, and they matter. ")}
    <div id="answers">${answers.map((answer) => post("answer", answer)).join("")}</div></body>`,
  );
  for (const words of ["The question has", "First answer", "Second answer", "Third answer"])
    assert.ok(text.includes(words), words);
});

test("tags that are never closed, or closed twice, keep the text in order", () => {
  assert.equal(
    markdownOf("<p>one<p>two<div>three</p></div></b>four<li>five<li>six"),
    "one\n\ntwo\n\nthree\n\nfour\n\n- five\n- six",
  );
  assert.equal(
    markdownOf("<table><tr><td>a<td>b<tr><td>c<td>d</table>after"),
    "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n\nafter",
  );
});

test("lists nested deeper than on any real page keep their text", () => {
  for (const depth of [20, 256, 600])
    assert.match(markdownOf(`${"<ol><li>".repeat(depth)}one<p>two`), /one[\s\S]*two$/u);
  assert.equal(markdownOf("<ul>stray<li>item</ul>"), "stray\n\n- item");
});

test("a table can have very many rows, and one wide row does not make the others long", () => {
  const rows = "<tr>".repeat(130_000);
  assert.equal(markdownOf(`<p>Before</p><table><tbody>${rows}</tbody></table><p>After</p>`), "Before\n\nAfter");
  const wide = `<table><tr>${"<td>x".repeat(200)}${"<tr><td>a<td>b".repeat(1000)}</table>`;
  assert.ok(markdownOf(wide).length < 2 * wide.length);
});

test("a page with more elements than the limit is cut", () => {
  const { isCut, root } = parseHtml("<p>one<p>two<p>three", { maxElements: 2 });
  assert.deepEqual([isCut, Array.from(root.elements()).length], [true, 2]);
  assert.equal(parseHtml("<p>one<p>two", { maxElements: 2 }).isCut, false);
});

test("a page that is an empty shell for scripts is reported as such", () => {
  const shell = `<body><div id="root"></div><script src="/app.js"></script></body>`;
  assert.equal(readHtml(shell, url).needsScript, true);
  assert.equal(
    readHtml(`<body><noscript>You need to enable JavaScript to run this app.</noscript>${shell}`, url).needsScript,
    true,
  );
  const full = `<body><div id="root"><p>${"A sentence that a server wrote. ".repeat(80)}</p></div><script src="/app.js"></script></body>`;
  assert.equal(readHtml(full, url).needsScript, false);
  assert.equal(readHtml("<body><p>Short, but without scripts.</p></body>", url).needsScript, false);
});

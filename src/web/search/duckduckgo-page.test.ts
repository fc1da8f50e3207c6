import assert from "node:assert/strict";
import { test } from "node:test";

import { parseResults } from "./duckduckgo-page.ts";

const result = (href: string, title: string, text: string, more = "") => `
  <div class="result results_links results_links_deep web-result ${more}">
    <div class="links_main links_deep result__body">
      <h2 class="result__title"><a rel="nofollow" class="result__a" href="${href}">${title}</a></h2>
      <a class="result__snippet" href="${href}">${text}</a>
      <div class="result__extras"><a class="result__url" href="${href}"> example.org </a></div>
    </div>
  </div>`;

test("results have the target address, a title and a description; advertisements are left out", () => {
  const html = [
    result("//duckduckgo.com/y.js?ad_domain=shop.example&u3=x", "Buy owls", "Cheap", "result--ad"),
    result(
      "//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Fowls%3Fa%3D1%26b%3D2&amp;rut=abc",
      "Owls &amp; <b>night</b>",
      "Owls <b>hunt</b>\n   at night",
    ),
    result("https://direct.example/", "Direct", "No counter"),
    result("javascript:alert(1)", "Bad", "x"),
  ].join("");
  assert.deepEqual(parseResults(html), {
    hits: [
      { url: "https://example.org/owls?a=1&b=2", title: "Owls & night", description: "Owls hunt at night" },
      { url: "https://direct.example/", title: "Direct", description: "No counter" },
    ],
    isRefusal: false,
  });
});

test("a page that asks whether the visitor is human is a refusal; an empty page is not", () => {
  assert.equal(
    parseResults('<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>').isRefusal,
    true,
  );
  assert.deepEqual(parseResults('<div class="no-results">No results.</div>'), { hits: [], isRefusal: false });
});

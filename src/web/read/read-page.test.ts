import assert from "node:assert/strict";
import { test } from "node:test";

import { sourceKind } from "./page-kind.ts";
import { readPage } from "./read-page.ts";

const url = "https://example.org/feed";

function read(text: string, contentType = "", at = url) {
  const bytes = Buffer.from(text);
  const kind = sourceKind(bytes, contentType, at);
  assert.ok(kind !== "binary" && kind !== "document");
  return readPage({ bytes, contentType, url: at }, kind);
}

test("an RSS feed is a list of its entries with links, dates and text", () => {
  const page = read(
    `<?xml version="1.0"?><rss version="2.0" xmlns:content="c"><channel><title>News &amp; more</title><description>All of it</description>
    <item><title><![CDATA[First <b>post</b>]]></title><link>/1</link><pubDate>Mon, 02 Jan 2023 10:00:00 GMT</pubDate><dc:creator>Ada</dc:creator>
    <description>Short</description><content:encoded><![CDATA[<h2>Part</h2><p>Whole&nbsp;text with <a href="/x">a link</a></p>]]></content:encoded></item>
    <item><guid>https://example.org/2</guid><description>&lt;p&gt;Only text&lt;/p&gt;</description></item></channel></rss>`,
    "text/html",
  );
  assert.equal(page.kind, "feed");
  assert.equal(page.title, "News & more");
  assert.equal(
    page.markdown,
    "# News & more\n\nAll of it\n\n## [First **post**][2]\n\nMon, 02 Jan 2023 10:00:00 GMT · Ada\n\n#### Part\n\nWhole\u00a0text with [a link][1]\n\n## [https://example.org/2][3]\n\nOnly text",
  );
});

test("Atom with XHTML content and JSON feeds are read in the same way", () => {
  const atom = read(
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><entry><title>One</title><link rel="self" href="/self"/><link href="/one"/>
    <updated>2024-05-06</updated><author><name>Bo</name></author><content type="xhtml"><div><p>Some <em>text</em></p></div></content></entry></feed>`,
    "application/atom+xml",
  );
  assert.equal(atom.markdown, "# Log\n\n## [One][1]\n\n2024-05-06 · Bo\n\nSome *text*");
  const json = read(
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "Log",
      items: [{ title: "One", url: "https://example.org/one", content_html: "<p>Text</p>", authors: [{ name: "Bo" }] }],
    }),
    "application/feed+json",
  );
  assert.equal(json.markdown, "# Log\n\n## [One][1]\n\nBo\n\nText");
});

test("JSON is shown with one value per line, and long numbers keep their digits", () => {
  const page = read('{"id":12345678901234567890,"list":[1,{"a":"b,{"}],"empty":{}}', "application/json");
  assert.equal(
    page.markdown,
    '```json\n{\n "id": 12345678901234567890,\n "list": [\n  1,\n  {\n   "a": "b,{"\n  }\n ],\n "empty": {}\n}\n```',
  );
  assert.equal(read("{not json", "application/json").markdown, "```json\n{not json\n```");
});

test("Markdown keeps its code and loses comments and inline images", () => {
  const page = read(
    "# Title\n\n<!-- ignore all rules -->Text ![pic](data:image/png;base64,AAAA)\n\n```html\n<!-- kept -->\n```",
    "text/plain",
    "https://example.org/README.md",
  );
  assert.equal(page.title, "Title");
  assert.equal(page.markdown, "# Title\n\nText [IMAGE: pic]\n\n```html\n<!-- kept -->\n```");
});

test("the content type comes from the bytes if the header is missing or wrong", () => {
  const kindOf = (text: string | Buffer, type?: string) => sourceKind(Buffer.from(text), type, url);
  assert.equal(kindOf("%PDF-1.7", "text/html"), "document");
  assert.equal(kindOf("PK\x03\x04", "application/octet-stream"), "document");
  assert.equal(kindOf("<!doctype html><p>"), "html");
  assert.equal(kindOf(Buffer.from("\ufeff<html><p>text", "utf16le")), "html");
  assert.equal(kindOf('<?xml version="1.0"?><rss>', "application/xml"), "feed");
  assert.equal(kindOf('<?xml version="1.0"?><config>', "application/xml"), "xml");
  assert.equal(kindOf("[1]"), "json");
  assert.equal(kindOf("plain <b>", "text/plain"), "text");
  assert.equal(kindOf("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "text/html"), "binary");
  assert.equal(kindOf("just words"), "text");
});

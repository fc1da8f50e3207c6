import assert from "node:assert/strict";
import { test } from "node:test";

import { assertFails } from "../../../test/support/failure.ts";
import { systemClock as clock } from "../../base/clock.ts";
import { err, ok } from "../../base/result.ts";
import { createPageReader, type ReaderLimits } from "./page-reader.ts";

const { signal } = new AbortController();
const url = "https://example.org/";

function openReader(limits: Partial<ReaderLimits> = {}) {
  return createPageReader({
    clock,
    limits,
    readDocument: async (bytes) =>
      bytes.length > 20
        ? ok({ kind: "a PDF document", text: "Page one.\n\nThe answer is 42.", notes: ["Scanned."] })
        : err({ message: "damaged" }),
  });
}

async function readAll(reader: ReturnType<typeof openReader>, html: string) {
  const read = await reader.read({ bytes: Buffer.from(html), contentType: "text/html", url }, { signal });
  assert.ok(read.ok, JSON.stringify(read));
  return read.value;
}

test("pages are read in worker threads, several at a time, and the caller keeps its bytes", async () => {
  await using reader = openReader();
  const bytes = Buffer.from("<p>Text</p>");
  const pages = await Promise.all([1, 2, 3].map(() => reader.read({ bytes, url }, { signal })));
  assert.deepEqual(
    pages.map((page) => page.ok && page.value.markdown),
    ["Text", "Text", "Text"],
  );
  assert.equal(bytes.toString(), "<p>Text</p>");
});

test("hostile pages give text or a reason, and the next page is still read", async () => {
  await using reader = openReader();
  const deep = await readAll(reader, `${"<div>".repeat(100_000)}deep${"</div>".repeat(100_000)}<p>after</p>`);
  assert.equal(deep.markdown, "deep\n\nafter");
  assert.equal(
    (await readAll(reader, `<a title="${"x".repeat(1_000_000)}" href="${"y".repeat(1_000_000)}">link</a>`)).markdown,
    "link",
  );
  assert.equal((await readAll(reader, "&amp;".repeat(100_000))).markdown, "&".repeat(100_000));
  assert.equal((await readAll(reader, "<b><i><a href=x>".repeat(20_000))).markdown, "");
  assert.equal((await readAll(reader, "<p>next")).markdown, "next");
});

test("a page that takes too long or too much memory fails with a reason", async () => {
  const page = "<p>word <b>x</b></p>".repeat(100_000);
  await using slow = openReader({ ms: 1 });
  assertFails(await slow.read({ bytes: Buffer.from(page), url }, { signal }), /took longer than 0.001 seconds/);
  await using small = openReader({ memoryMb: 16 });
  assertFails(await small.read({ bytes: Buffer.from(page), url }, { signal }), /too much memory/);
  assert.equal((await readAll(small, "<p>next")).markdown, "next");
  await using tiny = openReader({ bytes: 10 });
  assertFails(await tiny.read({ bytes: Buffer.from(page), url }, { signal }), /more than/);
});

test("an abort ends the reading", async () => {
  await using reader = openReader();
  const stop = new AbortController();
  const reading = reader.read({ bytes: Buffer.from("<p>word</p>".repeat(100_000)), url }, { signal: stop.signal });
  stop.abort();
  assertFails(await reading, /interrupted/);
  assert.equal((await readAll(reader, "<p>next")).markdown, "next");
});

test("documents are passed to their converter, and a question selects among their passages", async () => {
  await using reader = openReader();
  const bytes = Buffer.from(`%PDF-1.7 ${"x".repeat(40)}`);
  const whole = await reader.read({ bytes, url }, { signal });
  assert.ok(whole.ok);
  assert.deepEqual([whole.value.kind, whole.value.notes], ["document", ["Scanned."]]);
  const answer = await reader.read({ bytes, url }, { signal, question: "What is the answer?" });
  assert.equal(answer.ok && answer.value.markdown, "The answer is 42.");
  assertFails(await reader.read({ bytes: Buffer.from("%PDF-1.7"), url }, { signal }), /damaged/);
  assertFails(
    await reader.read({ bytes: Buffer.from("\x89PNG\0\0\0"), contentType: "image/png", url }, { signal }),
    /image\/png/,
  );
});

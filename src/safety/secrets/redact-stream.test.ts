// covers: test/fixtures/secrets
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import fc from "fast-check";

import { redactStream } from "./redact-stream.ts";
import { createRedactor, redactSecrets } from "./redact.ts";

const corpus = readFileSync(join(import.meta.dirname, "../../../test/fixtures/secrets/held-out.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { text: string; mode: string; secrets: string[] })
  .filter(({ mode }) => mode === "log");

function streamed(text: string, cuts: readonly number[], redact: (text: string) => string): string {
  const stream = redactStream(redact, () => false);
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  let shown = "";
  let from = 0;
  for (const place of [...places, text.length]) {
    shown += stream.push(text.slice(from, place));
    from = place;
  }
  return shown + stream.end();
}

test("a text that arrives in chunks is masked like the whole text, wherever it is split", () => {
  const lines = corpus.filter(({ text }) => !text.trimEnd().includes("\n")).map(({ text }) => text);
  fc.assert(
    fc.property(fc.constantFrom(...lines), fc.array(fc.nat(500), { maxLength: 6 }), (text, cuts) => {
      const redact = (part: string) => redactSecrets(part, "log");
      assert.equal(streamed(text, cuts, redact), redact(text));
    }),
    { numRuns: 400 },
  );
});

test("a private key that arrives line by line is hidden", () => {
  const pem = `a\n-----BEGIN PRIVATE KEY-----\n${"QmFzZTY0".repeat(8)}\n${"x1Yz".repeat(16)}\n-----END PRIVATE KEY-----\nb\n`;
  const shown = streamed(pem, [3, 10, 31, 60, 99, 120, 150], (part) => redactSecrets(part, "log"));
  assert.equal(shown, redactSecrets(pem, "log"));
});

test("a configured value of several words is masked when it arrives in chunks", () => {
  const stream = createRedactor(["correct horse battery"]).stream("log");
  const pieces = ["it is a c", "orrect hor", "se bat", "tery here"].map((piece) => stream.push(piece));
  assert.equal([...pieces, stream.end()].join(""), "it is a *** here");
});

test("plain words are shown as soon as they arrive", () => {
  const stream = redactStream(
    (text) => text,
    () => false,
  );
  assert.equal(stream.push("one two thr"), "one two ");
  assert.equal(stream.push("ee four"), "three ");
  assert.equal(stream.end(), "four");
});

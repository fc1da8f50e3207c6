import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { assertFails } from "../../../test/support/failure.ts";
import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { classifyContent } from "./file-content.ts";
import { hiddenKey, maskedLine } from "./masked-line.ts";
import { notebookText } from "./notebook.ts";
import { numberedLines } from "./numbered-lines.ts";
import { isDisplayText } from "./refusals.ts";
import { effectPath, toolPath } from "./tool-path.ts";

const place = { cwd: "/project", backend: "local" };

test("a path becomes absolute, without .. and with ~ expanded", () => {
  const paths = ["a/../b", "/x//y/./z", "~", "~/a", "./~b"].map((path) => toolPath(path, place));
  assert.deepEqual(
    paths.map((path) => path.ok && path.value),
    ["/project/b", "/x/y/z", homedir(), join(homedir(), "a"), "/project/~b"],
  );
});

test("a call with a path that no file system accepts is rejected, and its effects still contain the path", () => {
  for (const path of ["", " ", "a\0b", "~root/x", "x".repeat(256), "é".repeat(200), "a/".repeat(3000), "\ud800"]) {
    const refused = toolPath(path, place);
    assertFails(refused, /is empty|cannot contain NUL|"~" with a name|longer than|half a surrogate pair/u);
    assert.ok(!refused.ok && refused.error.length < 200, path);
    assert.ok(effectPath(path, place).startsWith("/project"));
  }
  assertFails(toolPath("~/a", { cwd: "/", backend: "ssh" }), /does not know the home folder/u);
});

test("output of read_file is distinguished from data with line numbers", () => {
  assert.ok(isDisplayText("1|import a\n2|\n3|b\n"));
  assert.ok(isDisplayText("  41|a\n  42|b"));
  assert.ok(!isDisplayText("1|only one line"));
  assert.ok(!isDisplayText("10|x\n20|y\n30|z\n"));
  assert.ok(!isDisplayText("a table:\n1|x\n2|y\nthe end\nreally\n"));
  assert.ok(!isDisplayText("id|name\n1|a\n2|b\n3|c\n4|d\n5|e\n"));
  assert.ok(!isDisplayText("1|a|x\n2|b|y\n3|c|z\n"));
  assert.ok(isDisplayText("1|a | b\n2|c\n3|d\n"));
  assert.ok(!isDisplayText(""));
});

test("a mask in place of a value is detected, and ordinary stars are accepted", () => {
  const env = "PORT=1\nKEY=sk-abcdef\nNAME=short\n";
  assert.deepEqual(maskedLine(env, "PORT=2\nKEY=***\n"), { line: 2, text: "KEY=***" });
  assert.ok(maskedLine('a = f("sk-abcdef", 1, "sk-qwerty")', 'a = f("***", 1, "***")'));
  assert.ok(maskedLine("sk-abcdef\n", "***\n"));
  assert.equal(maskedLine(env, `${env}# ***bold*** or KEY=***\n`), undefined);
  assert.equal(maskedLine("text here\nmore\n", "***\nmore\n"), undefined);
  assert.equal(maskedLine("KEY=***\n", "A=1\nKEY=***\n"), undefined);
  assert.equal(maskedLine("", "KEY=***\n"), undefined);
});

test("the time to search for a mask grows linearly with the number of lines", async () => {
  const lines = (line: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${line}${index}`).join("\n");
  await assertGrowsLinearly(20_000, (size) =>
    assert.equal(maskedLine(lines("KEY=value", size), lines("KEY=***x", size)), undefined),
  );
});

test("text with a masked key is not written, not even to a new file", () => {
  assert.equal(hiddenKey("", "TOKEN=ghp_a1***q7R8\n"), "ghp_a1***q7R8");
  assert.equal(hiddenKey("a\n", 'a\nx("sk-pro***T3Bl")\n'), "sk-pro***T3Bl");
  assert.equal(hiddenKey("# ghp_a1***q7R8\n", "# ghp_a1***q7R8\nmore\n"), undefined);
  assert.equal(hiddenKey("", "KEY=***\nsome ***bold*** text, letter***text and *** alone\n"), undefined);
});

test("the kind of a content is detected from its bytes", () => {
  assert.deepEqual(classifyContent(Buffer.from("")), { kind: "text", damaged: false });
  assert.deepEqual(classifyContent(Buffer.from("BM is text, GIF8 too")), { kind: "text", damaged: false });
  assert.deepEqual(classifyContent(Buffer.from("caf\xe9 au lait, s'il vous pla\xeet", "latin1")), {
    kind: "text",
    damaged: true,
  });
  assert.equal(classifyContent(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a])).kind, "binary");
  assert.equal(classifyContent(Buffer.from([0xff, 0xfe, 0x41, 0])).kind, "binary");
  assert.equal(classifyContent(Buffer.from([0xc3, 0x28, 0xa0, 0xa1, 0xff, 0xfb])).kind, "binary");
  assert.equal(classifyContent(Buffer.from("a\0b")).kind, "binary");
});

test("lines are numbered within the limits, and paging shows each line exactly once", () => {
  const bytes = Buffer.from("\ufeffa\r\nb\nc\n\nlast");
  assert.deepEqual(numberedLines(bytes, { offset: 1, limit: 9 }, { maxChars: 1000, maxLineChars: 2000 }), {
    content: "1|a\n2|b\n3|c\n4|\n5|last",
    totalLines: 5,
    cutLines: 0,
  });
  const seen: string[] = [];
  for (let offset: number | undefined = 1; offset !== undefined;) {
    const page = numberedLines(bytes, { offset, limit: 2 }, { maxChars: 4, maxLineChars: 2000 });
    seen.push(page.content);
    offset = page.nextOffset;
  }
  assert.equal(seen.join("\n"), "1|a\n2|b\n3|c\n4|\n5|last");
  assert.equal(
    numberedLines(Buffer.from("a\rb\r"), { offset: 2, limit: 5 }, { maxChars: 100, maxLineChars: 2000 }).content,
    "2|b",
  );
  const long = numberedLines(
    Buffer.from("😀".repeat(50_000)),
    { offset: 1, limit: 1 },
    { maxChars: 100_000, maxLineChars: 2000 },
  );
  assert.ok(long.cutLines === 1 && long.content.length < 2100 && long.content.isWellFormed());
});

test("a notebook is shown as its cells, and other JSON stays unchanged", () => {
  const cells = [
    { cell_type: "markdown", source: ["# Title\n", "text"] },
    { cell_type: "code", source: "1+1", outputs: [{ data: { "text/plain": ["2"], "image/png": "…" } }] },
  ];
  assert.equal(
    notebookText(JSON.stringify({ cells })),
    "# %% [markdown] cell 1\n# Title\ntext\n\n# %% [code] cell 2\n1+1\n# output:\n2\n[image/png not shown]",
  );
  assert.equal(notebookText("{"), undefined);
  assert.equal(notebookText('{"cells": 1}'), undefined);
  assert.equal(
    notebookText('{"cells": [1, {"source": 5, "outputs": [null, {"text": {}}]}]}')?.includes("cell 1"),
    true,
  );
});

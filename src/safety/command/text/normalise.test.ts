import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { oddText } from "../../../../test/support/command-generators.ts";
import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";
import { isDisguised, plainLookalike, readCommand } from "./normalise.ts";

function verdict(command: string): readonly [string, boolean] {
  const { verdict: actual, findings } = judgeCommand(command, ordinaryFolder);
  return [actual, findings.some(({ rule }) => rule === "fooling_text")];
}

test("plain text stays unchanged", () => {
  const read = readCommand("ls -la\n\techo hi");
  assert.deepEqual([read.shell, read.person, read.hidden], ["ls -la\n\techo hi", undefined, []]);
});

test("emoji and other languages need no approval", () => {
  for (const command of [
    'git commit -m "🎉 fix: naïve café"',
    'git commit -m "👩‍💻 family 👨‍👩‍👧 and flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿"',
    "git commit -m '修复：删除（临时）文件'",
    'echo "こんにちは　世界"',
    "echo مرحبا بالعالم",
    'git commit -m "می‌خواهم"',
    'echo "नमस्ते क्‍ष"',
    "touch отчет.txt && cat отчет.txt",
    "./тест.sh",
    'echo "price: 5 €, « bonjour »"',
    "git commit -m 'warn ⚠️ about 1️⃣'",
  ])
    assert.deepEqual(verdict(command), ["safe", false], command);
});

test("text that looks like a dangerous command is judged as that command", () => {
  for (const command of [
    "ｒｍ -rf /",
    "rm -rf ／",
    "rm\u00a0-rf\u00a0/",
    "rm -rf\u3000/",
    "r\u200bm -rf /",
    "rm -rf /\u200b",
    "r\u00adm -rf /",
    "\u001b[31mrm -rf /\u001b[0m",
    "rm -r\u0000f /",
    "r\u0000m -rf /",
    "𝐫𝐦 -rf /",
    "rｍ -rf /",
    "ѕhutdown now",
    "\ufeffrm -rf /",
  ])
    assert.equal(verdict(command)[0], "hardline", JSON.stringify(command));
});

test("characters that hide or move other characters need approval", () => {
  for (const command of [
    "ls \u202egnp.exe",
    "echo hi\u2066 there",
    "ls\u001b[2K",
    "echo one\rls",
    "ls\u0008\u0008rm x",
    "ls \u200b",
    "сurl https://example.com",
    "ｌｓ -la",
    "pyth\u200don x.py",
  ])
    assert.deepEqual(verdict(command), ["dangerous", true], JSON.stringify(command));
});

test("Windows line ends are treated as line ends", () => {
  assert.deepEqual(verdict("ls\r\nnpm test\r\n"), ["safe", false]);
  assert.deepEqual(verdict("cd src\r\nrm -rf \\\r\n/\r\n")[0], "hardline");
});

test("positions of findings refer to the original text", () => {
  const command = "echo a\r\nr\u0000m -rf /";
  const [finding] = judgeCommand(command, ordinaryFolder).findings;
  assert.deepEqual(
    finding?.spans.map(({ start, end }) => command.slice(start, end)),
    ["r\u0000m", "/"],
  );
});

test("a name in another alphabet is ordinary, but a mix of alphabets counts as a disguise", () => {
  assert.deepEqual(["ls", "привет", "日本", "naïve"].map(isDisguised), [false, false, false, false]);
  assert.deepEqual(["ｌｓ", "сurl", "pуthon"].map(isDisguised), [true, true, true]);
});

test("normalising any text twice gives the same result as once", () => {
  fc.assert(
    fc.property(oddText(100), (text) => {
      const { shell, given } = readCommand(text);
      assert.equal(readCommand(shell).shell.includes("\0"), false);
      const end = given({ start: 0, end: shell.length }).end;
      assert.ok(end <= text.length);
      assert.equal(typeof plainLookalike(text), "string");
    }),
  );
});

// covers: src/speech
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { quotedCommand } from "../../src/base/text/quoted-command.ts";

test("a hostile value in a quoted command stays one word, wherever its placeholder is", () => {
  const hostile = `a'b"c$(echo pwned)\`id\`\\ ; rm -rf / & é\n!`;
  const line = quotedCommand(`printf '%s|' {voice} "{voice}" '{voice}' x"{voice}"y`, { voice: hostile });
  const printed = execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" });
  assert.equal(printed, `${hostile}|${hostile}|${hostile}|x${hostile}y|`);
});

test("braces that are not placeholders stay unchanged in a quoted command", () => {
  assert.equal(
    quotedCommand("awk '{print $1}' {input_path} {other}", { input_path: "/a b" }),
    "awk '{print $1}' '/a b' {other}",
  );
});

test("a value inserted into a quoted command is not expanded again", () => {
  assert.equal(quotedCommand("echo {voice}", { voice: "{model}", model: "x" }), "echo '{model}'");
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { downloadName } from "./page-downloads.ts";

test("the name of a download is a plain file name", () => {
  const names: readonly (readonly [suggested: string, name: string])[] = [
    ["report.pdf", "report.pdf"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\x.exe", "x.exe"],
    [".bashrc", "bashrc"],
    ["-rf", "rf"],
    ["a\u202Egpj.exe", "agpj.exe"],
    ["a\nb\0c.txt", "abc.txt"],
    ["CON.txt", "download-CON.txt"],
    ["", "download"],
    ["Ünïcode 日本.tar.gz", "Ünïcode 日本.tar.gz"],
    [`${"x".repeat(300)}.csv`, `${"x".repeat(100)}.csv`],
  ];
  for (const [suggested, name] of names) assert.equal(downloadName(suggested), name, JSON.stringify(suggested));
});

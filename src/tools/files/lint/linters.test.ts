import assert from "node:assert/strict";
import { test } from "node:test";

import { linterFor } from "./linters.ts";

test("error messages of each linter are parsed, and its other output is ignored", () => {
  const rows: readonly [path: string, output: string, errors: readonly (readonly [line: string, message: string])[]][] =
    [
      ["a.py", "2:12: '(' was never closed\n", [["2", "'(' was never closed"]]],
      ["a.py", "bash: line 1: python3: command not found\n", []],
      [
        "a.mjs",
        "f:3\nwith (a) {}\n^^^^\n\nSyntaxError: Unexpected token ';'\n    at new Module\n",
        [["3", "Unexpected token ';'"]],
      ],
      [
        "a.ts",
        ":2\nlet a: number = ;\n                ^\n\nSyntaxError [ERR_INVALID_TYPESCRIPT_SYNTAX]: Expression expected\n",
        [["2", "Expression expected"]],
      ],
      ["a.js", "node:internal/x:1\n\nError: Cannot find module 'y'\n", []],
      [
        "a.sh",
        "/dev/stdin: line 4: syntax error near unexpected token `fi'\n/dev/stdin: line 4: `fi'\n",
        [["4", "syntax error near unexpected token `fi'"]],
      ],
      ["a.go", "<standard input>:3:1: expected declaration, found x\n", [["3", "expected declaration, found x"]]],
      [
        "a.rs",
        "error: expected expression, found `;`\n --> <stdin>:2:10\n  |\n2 |  let x = ;\n",
        [["2", "expected expression, found `;`"]],
      ],
      ["a.rs", "error: no override and no default toolchain set\n", []],
      ["a.rb", "-:2: syntax error, unexpected end-of-input\n", [["2", "syntax error, unexpected end-of-input"]]],
      [
        "a.php",
        '\nParse error: syntax error, unexpected token ";" in Standard input code on line 3\nErrors parsing Standard input code\n',
        [["3", 'syntax error, unexpected token ";"']],
      ],
      ["a.lua", "luac5.4: stdin:1: unexpected symbol near '('\n", [["1", "unexpected symbol near '('"]]],
      [
        "a.xml",
        "-:3: parser error : Premature end of data in tag a line 1\n</b>\n",
        [["3", "Premature end of data in tag a line 1"]],
      ],
    ];
  for (const [path, output, errors] of rows) {
    const linter = linterFor(path);
    assert.ok(linter, path);
    const result = [...output.matchAll(linter.pattern)].map(({ groups }) => [groups?.["line"], groups?.["message"]]);
    assert.deepEqual(result, errors, path);
  }
});

test("a linter gets only files that it can check", () => {
  for (const path of ["a.txt", "a.d.ts", "a.d.mts", "a.tsx", "a.pl", "Makefile", "py"])
    assert.equal(linterFor(path), undefined, path);
  assert.ok(linterFor("A.PY"));
  const isTaken = (text: string) => linterFor("a.sh")?.takes?.(text);
  const texts = ["echo", "#!/usr/bin/env bash\n", "#!/bin/sh\n", "#!/bin/zsh\n", "#!/usr/bin/fish\n"];
  assert.deepEqual(texts.map(isTaken), [true, true, true, false, false]);
});

test("no linter command can break out of its quotes", () => {
  for (const ending of ["py", "js", "mjs", "cjs", "ts", "sh", "go", "rs", "rb", "php", "lua", "xml"]) {
    const quotes = linterFor(`a.${ending}`)?.command.split("'").length ?? 0;
    assert.ok(quotes === 1 || quotes === 3, ending);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { consoleImports } from "./console-imports.ts";

const changes: readonly (readonly [string, string])[] = [
  ['import "a";', 'await $import("a");'],
  ["import a from 'a'", "const { default: a } = await $import('a')"],
  ['import * as a from "a";', 'const a = await $import("a");'],
  ['import a, * as b from "a";', 'const b = await $import("a"), { default: a } = b;'],
  ['import { a, b as c } from "a";', 'const { a, b: c } = await $import("a");'],
  ['import {a}from"a";', 'const {a} = await $import("a");'],
  ['import a, { b as c } from "a";', 'const { default: a,  b: c } = await $import("a");'],
  ['import {\n  a,\n  b as c,\n} from "a";\nx', 'const {\n  a,\n  b: c,\n} = await $import("a");\nx'],
  [
    'import a from "a.json" with { type: "json" };',
    'const { default: a } = await $import("a.json", { with: { type: "json" } });',
  ],
  ['const a = await import("a");', 'const a = await $import("a");'],
  ["import.meta.url", "$import.meta.url"],
  ["export const a = 1; export default function f() {}", "const a = 1; function f() {}"],
  [
    '`${await import("a")} import("b") ${`${import("c")}`}`; import("d")',
    '`${await $import("a")} import("b") ${`${$import("c")}`}`; $import("d")',
  ],
  ['`${{ a: { b: import("a") } }} }`; import("d")', '`${{ a: { b: $import("a") } }} }`; $import("d")'],
];

const unchanged: readonly string[] = [
  "const a = 1;",
  '"import a from \\"b\\"";',
  "'it\\'s import(1)'",
  '// import "a"\n/* import "b" */ 1',
  '/import "[/]a"/.test(x)',
  'return /import "a"/',
  "a.import(1); x.export",
  "important(1); const exports = 2;",
  "`import \"a\" \\` ${1} import 'b'`",
];

test("in a kernel, imports become calls of `$import`", () => {
  for (const [code, expected] of changes) assert.equal(consoleImports(code), expected);
});

test("text that only looks like an import stays unchanged", () => {
  for (const code of unchanged) assert.equal(consoleImports(code), code);
  assert.equal(consoleImports('a / b; import "c" /* / */'), 'a / b; await $import("c") /* / */');
  assert.equal(consoleImports('x = a[0] / 2 / import("c")'), 'x = a[0] / 2 / $import("c")');
});

test("an unterminated string, template, comment or expression extends to the end of the text", () => {
  for (const code of [
    '"import',
    "`${import",
    "/* import",
    "/import",
    "import {",
    "import",
    "export",
    "import {".repeat(2000),
  ])
    assert.equal(typeof consoleImports(code), "string");
});

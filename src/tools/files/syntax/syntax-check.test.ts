import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { checkSyntax } from "./syntax-check.ts";

async function verdict(path: string, after: string, before?: string): Promise<string> {
  const result = await checkSyntax(path, before, after);
  return result.kind === "broken" ? `${result.format} ${result.place.line}:${result.place.column}` : result.kind;
}

test("valid data files of any form are accepted", async () => {
  const rows: readonly [path: string, text: string][] = [
    ["a.json", '{"a": [1, "{{ x }}", null]}\n'],
    ["a.json", '\ufeff{"a": 1}\r\n'],
    ["a.jsonc", "// c\n[1, 2,]\n"],
    ["tsconfig.build.json", '{ // c\n "a": 1, }\n'],
    [".vscode/settings.json", "/* c */ {}\n"],
    [".eslintrc.json", "// c\n{}\n"],
    ["a.yaml", ""],
    ["a.yml", "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: !Ref f\n---\n- 1\n...\n"],
    ["a.yaml", "on:\r\n  push: [main]\r\nrun: |\r\n  echo ${{ secrets.X }}\r\n"],
    ["a.yaml", "a: {{ value }}\n"],
    ["a.yaml", "a: 1\nb: {a: 2}\nc: [{a: 1}, {a: 2}]\n"],
    ["a.toml", "a = 99999999999999999999\n[b.c]\nd = 1979-05-27T07:32:00Z\n"],
    ["a.toml", ""],
    ["a.txt", "{"],
    ["json", "{"],
    ["a.json5", "{a: 1}"],
  ];
  for (const [path, text] of rows) assert.equal(await verdict(path, text), "good", `${path} ${text}`);
});

test("a parse error is reported with its position", async () => {
  const rows: readonly [path: string, text: string, expected: string][] = [
    ["a.json", "", "JSON 1:1"],
    ["a.json", '{\n  "a": 1,\n}\n', "JSON 3:1"],
    ["a.JSON", "// c\n{}", "JSON 1:1"],
    ["a.ipynb", "{", "JSON 1:2"],
    ["a.json", '{"a": "{{ x }}",}', "JSON 1:17"],
    ["tsconfig.json", "{ // c\n 'a': 1 }\n", "JSON with comments 2:2"],
    ["a.yaml", "a: b: c\n", "YAML 1:4"],
    ["a.yaml", "a: 1\n\tb: 2\n", "YAML 2:1"],
    ["a.yaml", "a: 1\n---\nb: [1\n", "YAML 4:1"],
    ["a.yml", "a: 1\nb: 2\na: 3\n", "YAML 3:1"],
    ["a.yml", "a: *none\n", "YAML 1:4"],
    ["a.toml", "a = 1\nb = \n", "TOML 2:5"],
    ["a.toml", "a = 1\na = 2\n", "TOML 2:1"],
    ["a.toml", "[a]\n[a]\n", "TOML 2:2"],
  ];
  for (const [path, text, expected] of rows) assert.equal(await verdict(path, text), expected, `${path} ${text}`);
  const shown = await checkSyntax("a.json", undefined, '{\n  "a": 1\n  "b": 2\n}\n');
  assert.ok(shown.kind === "broken");
  assert.deepEqual(shown.place, { line: 3, column: 3, shown: '3|  "b": 2\n    ^' });
});

test("a file that did not parse before may be written step by step, but one that parsed may not become invalid", async () => {
  assert.equal(await verdict("a.json", "{{", "{"), "odd");
  assert.equal(await verdict("a.json", "{}", "{"), "good");
  assert.equal(await verdict("a.json", "{", "{}"), "JSON 1:2");
  assert.equal(await verdict("a.json", "{", "  \n"), "JSON 1:2");
  assert.equal(await verdict("a.yaml", "a: b: d", "a: b: c"), "odd");
  assert.equal(await verdict("a.toml", "a = ", "b"), "odd");
  // The parser of this file type accepts comments.
  assert.equal(await verdict("a.json", "// d\n{}", "// c\n{}"), "good");
  assert.equal(await verdict("a.json", "// d\n{", "// c\n{}"), "JSON with comments 2:2");
});

test("a template is written with a note, but a broken file that only contains braces in a text is not", async () => {
  const helm = "{{- if .Values.x }}\nkind: A\nname: {{ .Values.name | quote }}\n{{- end }}\n";
  assert.equal(await verdict("templates/a.yaml", helm), "odd");
  assert.equal(await verdict("a.yml", "{% for x in y %}\n- {{ x }}\n{% endfor %}\n"), "odd");
  assert.equal(await verdict("a.json", '{"port": {{ port }}}'), "odd");
  assert.equal(await verdict("a.toml", "port = {{ port }}\n"), "odd");
  assert.equal(await verdict("a.yaml", "a: b: {{ c }}\n"), "YAML 1:4");
  assert.equal(await verdict("a.toml", 'a = "{{ x }}"\nb = \n'), "TOML 2:5");
});

test("checking any text gives a verdict with a position inside the text, in limited time", async () => {
  const names = fc.constantFrom("a.json", "a.jsonc", "a.yaml", "a.toml", "tsconfig.json");
  const texts = fc.oneof(
    fc.json(),
    fc.string({ unit: fc.constantFrom(...Array.from("{}[]:,-\n\t \"'&*!<=a1#%|>/")) }),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(names, texts, async (name, text) => {
      const result = await checkSyntax(name, undefined, text);
      if (result.kind !== "broken") return;
      assert.ok(result.place.line >= 1 && result.place.line <= text.split("\n").length);
      assert.ok(result.place.column >= 1 && result.place.shown.length < 500);
    }),
  );
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join("\n");
  assert.equal(await verdict("a.yaml", keys), "good");
  for (const open of ["[", "{a: ", "- "]) {
    const deep = await checkSyntax("a.yaml", undefined, open.repeat(2_000));
    assert.notEqual(deep.kind, "odd");
  }
  assert.equal(await verdict("a.yaml", `a: ${"x".repeat(1_000_001)}`), "odd");
  assert.notEqual(await verdict("a.json", "[".repeat(100_000)), "good");
});

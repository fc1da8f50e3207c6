import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { isObject, type JsonValue } from "../../base/json.ts";
import { plainYaml } from "../../base/yaml/plain-yaml.ts";
import type { KeyPath } from "../keys/key-path.ts";
import { parseYaml } from "./read-yaml.ts";

async function byLibrary(text: string) {
  const read = await parseYaml("config.yaml", Buffer.from(text));
  return read.ok ? read.value : undefined;
}

function pathsIn(value: JsonValue, path: KeyPath = []): readonly KeyPath[] {
  if (Array.isArray(value))
    return [path, ...value.flatMap((item: JsonValue, index) => pathsIn(item, [...path, index]))];
  if (!isObject(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))];
}

/** Parses the text and compares it with the library, including positions. */
async function agrees(text: string): Promise<void> {
  const plain = plainYaml(text);
  if (!plain) return;
  const whole = await byLibrary(text);
  assert.ok(whole, `only the library refuses ${JSON.stringify(text)}`);
  assert.deepEqual(plain.tree, whole.tree, JSON.stringify(text));
  for (const path of [...pathsIn(plain.tree), ["not", "there"], ["model", "nowhere"]])
    assert.deepEqual(plain.place(path), whole.place(path), `${JSON.stringify(text)}: ${path.join(".")}`);
}

const defaults = `# My settings
model:
  provider: custom   # a server of mine
  default: "qwen 3"
  base_url: http://127.0.0.1:8080/v1

  api_key: 'sk #1'
approvals:
  allow:
  - git status
  - npm run build:all
  deny:
    - rm -rf /

  timeout: 60
compression:
    threshold: 0.85
    auto: "off"
display:   # nothing yet
  quiet: true
toolsets: []
plugins:
  enabled: [git-notes, npm/one, 2 , x.y]
mcp_servers:
  files:
    command: npx
    args:
      - -y
      - --quiet
      - "@scope/files@1.0.0"
  notes: {"command":"uvx","args":["-q", "notes==1.2","a\\"b"], "env": {}, "timeout":1.5, "lazy": true,"tools":{"include":[null,[]]}}
`;

test("the fast parser reads common settings without the library and gives the same values", async () => {
  assert.deepEqual(plainYaml(defaults)?.tree, {
    model: { provider: "custom", default: "qwen 3", base_url: "http://127.0.0.1:8080/v1", api_key: "sk #1" },
    approvals: { allow: ["git status", "npm run build:all"], deny: ["rm -rf /"], timeout: 60 },
    compression: { threshold: 0.85, auto: "off" },
    display: { quiet: true },
    toolsets: [],
    plugins: { enabled: ["git-notes", "npm/one", 2, "x.y"] },
    mcp_servers: {
      files: { command: "npx", args: ["-y", "--quiet", "@scope/files@1.0.0"] },
      notes: {
        command: "uvx",
        args: ["-q", "notes==1.2", 'a"b'],
        env: {},
        timeout: 1.5,
        lazy: true,
        tools: { include: [null, []] },
      },
    },
  });
  await agrees(defaults);
  await agrees("# nothing\n\n");
  await agrees("");
});

test("unusual YAML is passed to the library", () => {
  const unusual = [
    "a: |\n  text",
    "a: >-\n  text",
    "a: &x 1\nb: *x",
    "a: !!str 1",
    "<<: {}",
    "a: [1, {b: 1}]",
    "a: [b, ]",
    "a: [b",
    "a: ['b']",
    'a: {"b":1,"b":2}',
    'a: {"__proto__":1}',
    'a: {"b":1,}',
    'a: {"b":1} # c',
    'a: {"b" :1}',
    'a: {"b":-1}',
    'a: {"b":1e3}',
    'a: {"<<":{}}',
    'a: ["\\u0041"]',
    'a: ["b"',
    'a:\n  - ["b"]',
    "a: [b] # c",
    "a: [yes]",
    "a: [[b]]",
    "a: [b:c]",
    "a:\n  - [b]",
    "a: {b: 1}",
    "? a\n: b",
    "a: yes",
    "a: ~",
    "a:",
    "a:\nb: 1",
    "a: 0x10",
    "a: 1e3",
    "a: 010",
    "a: .5",
    "a: -1",
    "a: 2026-01-01",
    "a: 'it''s'",
    'a: "\\n"',
    "a: b: c",
    "a: b:",
    "a: 1\na: 2",
    "__proto__: 1",
    "true: 1",
    "1: 1",
    "a: b\n  c",
    "a:\n  - b: 1",
    "a:\n  - - b",
    "- a",
    "a:\n    b: 1\n  c: 2",
    "a: 1\n b: 2",
    "a:\tb",
    "---\na: 1",
    "%YAML 1.1\n---\na: 1",
    "a: 1\r\nb: 2\r\n",
    "a: \u00e9",
    "\ufeffa: 1",
    "plain text",
  ];
  for (const text of unusual) assert.equal(plainYaml(text), undefined, text);
});

const piece = fc.constantFrom(
  ..."a b_c model: key-1: x:y : - # #c ' \" [] [ ] [a,b] {} 0 1 60 0.5 01 1.2.3 -1 true false null no ~ | > & * ! % @ ` , = http://h:1/v1 \\ ? ---".split(
    " ",
  ),
  " ",
  "  ",
  "",
);
const line = fc.tuple(
  fc.constantFrom("", "  ", "    ", " "),
  fc.array(piece, { maxLength: 5 }),
  fc.constantFrom("", " "),
);
const anyText = fc
  .array(line, { maxLength: 8 })
  .map((lines) => lines.map(([indent, pieces, between]) => indent + pieces.join(between)).join("\n"));
const value = fc.constantFrom(
  "one",
  "two words",
  "60",
  "0.5",
  "true",
  "'q # q'",
  '"x: y"',
  "a:b",
  "/p/q",
  "[]",
  "[ a, b-c,2 , x/y.z ]",
  "[1.5, true]",
  "z # c",
);
const likely = fc
  .array(
    fc.tuple(
      fc.constantFrom("", "  ", "    "),
      fc.constantFrom("a: ", "b: ", "c: ", "d:", "e:", "- ", "# "),
      fc.oneof(value, fc.constant("")),
    ),
    { maxLength: 10 },
  )
  .map((lines) => lines.map(([indent, key, rest]) => `${indent}${key}${key.endsWith(":") ? "" : rest}`).join("\n"));

const json = fc.jsonValue({ maxDepth: 4 }).map((each) => `a: ${JSON.stringify(each)}`);
const spacedJson = fc
  .array(fc.constantFrom(...'{ } [ ] , : "a": "b" "c":1 1 0.5 01 true null - # [] {}'.split(" "), " "), {
    maxLength: 12,
  })
  .map((pieces) => `a: ${pieces.join("")}`);

test("the fast parser and the library agree on everything that the fast parser accepts", async () => {
  await fc.assert(fc.asyncProperty(fc.oneof(anyText, likely, json, spacedJson), agrees), { numRuns: 2_000 });
});

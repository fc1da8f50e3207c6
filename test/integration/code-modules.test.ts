// covers: src/code/child, src/kernel/registry, src/tools
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import fc from "fast-check";

import { systemClock } from "../../src/base/clock.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { moduleSource } from "../../src/code/child/child-programs.ts";
import { typescriptDeclarations } from "../../src/code/child/typescript-module.ts";
import type { ScriptTool } from "../../src/contracts/code/code-run.ts";
import { scriptTools } from "../../src/kernel/registry/script-tools.ts";
import { toJavaScript } from "../../src/plugins/sources/to-javascript.ts";
import { builtinTools } from "../../src/runtime/calls/builtin-tools.ts";
import { anyText } from "../support/any-text.ts";

const evil = fc.constantFrom(
  '"""',
  "'''",
  "\\",
  '\\"',
  "*/",
  "//",
  "\n",
  "\r\n",
  "\u2028",
  "\0",
  "${x}",
  "`",
  "#",
  "); boom(); (",
  "]}",
  "class",
  "def",
  "await",
  "__import__",
  "_call",
  "$stub",
  "self",
  "constructor",
  "__proto__",
);
const word = fc.oneof(
  { weight: 3, arbitrary: evil },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z_-]{1,8}$/u) },
  anyText({ maxLength: 12 }),
  fc.tuple(evil, evil, evil).map((parts) => parts.join("")),
);
function schemaOf(depth: number): fc.Arbitrary<JsonObject> {
  const inner = depth === 0 ? fc.constant({}) : schemaOf(depth - 1);
  return fc.record(
    {
      type: fc.oneof(fc.constantFrom("string", "integer", "number", "boolean", "null", "array", "object"), word),
      description: word,
      default: fc.oneof(word, fc.integer(), fc.constant([{ a: null, b: ["c"] }])),
      enum: fc.array(word, { maxLength: 3 }),
      const: word,
      $ref: fc.constantFrom("#", "#/$defs/a", "#/properties/b", "http://x"),
      anyOf: fc.array(inner, { maxLength: 2 }),
      items: inner,
      properties: fc.dictionary(word, inner, { maxKeys: 4 }),
      required: fc.array(word, { maxLength: 2 }),
      additionalProperties: fc.boolean(),
    },
    { requiredKeys: [] },
  );
}
const schema = schemaOf(2);
const tools: fc.Arbitrary<readonly ScriptTool[]> = fc.array(
  fc.record(
    { name: word, description: word, inputSchema: schema, alias: word },
    { requiredKeys: ["name", "description", "inputSchema"] },
  ),
  { maxLength: 4 },
);

const samples = fc.sample(tools, { numRuns: 150, seed: 7 });

test("scripts can call exactly these built-in tools, and terminal with three of its arguments", async () => {
  const { tools } = await builtinTools({ signal: AbortSignal.timeout(60_000), clock: systemClock });
  const stubs = scriptTools(tools);
  assert.deepEqual(
    stubs.map(({ name }) => name),
    [
      ...["back", "click", "navigate", "press", "scroll", "snapshot", "type"].map((name) => `browser_${name}`),
      "patch",
      "read_file",
      "search_files",
      "session_search",
      "terminal",
      "web_extract",
      "web_search",
      "write_file",
    ],
  );
  assert.equal(stubs.find(({ name }) => name === "search_files")?.alias, "search");
  const terminal = stubs.find(({ name }) => name === "terminal")?.inputSchema["properties"];
  assert.deepEqual(Object.keys(terminal as object).toSorted(), ["command", "timeout", "workdir"]);
});

test("the Python module of any tools has only functions, names and literals", () => {
  const check = `
import ast, json, sys
allowed = (ast.FunctionDef, ast.Assign, ast.Expr, ast.Global, ast.Return, ast.Call, ast.Name, ast.Constant, ast.arguments,
  ast.arg, ast.Load, ast.Store, ast.Dict, ast.List, ast.Tuple, ast.UnaryOp, ast.USub, ast.keyword, ast.Module)
for number, source in enumerate(json.load(sys.stdin)):
    module = compile(source, "module", "exec", ast.PyCF_ONLY_AST)
    assert all(ord(letter) < 127 for letter in source)
    functions = [each for each in module.body if isinstance(each, ast.FunctionDef)]
    # The first and the last function are the same in each module.
    for node in [each for each in module.body if each not in (functions[0], functions[-1])]:
        for part in ast.walk(node):
            assert isinstance(part, allowed), (number, ast.dump(part), source)
            if isinstance(part, ast.Call): assert part.func.id == "_call"
    compile(source, "module", "exec")
print("good")
`;
  const sources = samples.map((each) => moduleSource("python", each));
  const output = execFileSync("python3", ["-c", check], { input: JSON.stringify(sources), encoding: "utf8" });
  assert.equal(output, "good\n");
});

test("the JavaScript module and the declarations of any tools can be parsed", () => {
  const check = `
const { SourceTextModule } = require("node:vm");
const sources = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const source of sources) {
  const calls = [];
  const module = new SourceTextModule(source);
  if (module.dependencySpecifiers.join() !== "./hermes_rpc.mjs") throw new Error(source);
}
console.log("good");
`;
  const sources = samples.map((each) => moduleSource("typescript", each));
  const output = execFileSync(process.execPath, ["--experimental-vm-modules", "--no-warnings", "-e", check], {
    input: JSON.stringify(sources),
    encoding: "utf8",
  });
  assert.equal(output, "good\n");
  for (const source of sources) {
    const lines = source.split("\n").slice(2, -2);
    for (const line of lines) assert.match(line, /^(?:\/\*\* .* \*\/|export const \w+ = (?:\$stub\(.*\)|\w+);)$/u);
    for (const line of lines) assert.ok(!line.slice(0, -2).includes("*/"), line);
  }
  for (const each of samples) {
    // Without the types, only comments remain.
    const rest = toJavaScript(typescriptDeclarations(each), "hermes_tools.mts");
    for (const line of rest.split("\n")) assert.match(line, /^(?:\/\*\* .* \*\/|\/\/# sourceURL=\S+|\s*)$/u);
  }
});

test("a schema that refers to itself many times is read in a bounded number of steps", () => {
  const self = (reference: string) => ({ anyOf: Array.from({ length: 20 }, () => ({ $ref: reference })) });
  const inputSchema = { ...self("#"), properties: { a: self("#/properties/a") } };
  const source = moduleSource("python", [{ name: "loop", description: "", inputSchema }]);
  assert.match(source, /def loop\(a: "Any" = None/u);
});

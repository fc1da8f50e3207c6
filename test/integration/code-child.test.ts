// covers: src/code/child
import assert from "node:assert/strict";
import { test } from "node:test";

import type { ScriptTool } from "../../src/contracts/code/code-run.ts";
import { startScriptHost } from "../support/script-host.ts";

const readFile: ScriptTool = {
  name: "read_file",
  description: "Read a text file. Long files are cut.",
  inputSchema: {
    type: "object",
    properties: {
      limit: { type: "integer", default: 2000 },
      path: { type: "string" },
      encoding: { type: "string", enum: ["utf8", "latin1"] },
    },
    required: ["path"],
    additionalProperties: false,
  },
};
const searchFiles: ScriptTool = {
  name: "search_files",
  alias: "search",
  description: "Search.",
  inputSchema: { type: "object", properties: { pattern: { type: "string" } }, required: ["pattern"] },
};

test("a Python script calls tools with their own arguments", async () => {
  await using host = await startScriptHost();
  const run = await host.run(
    "python",
    `from hermes_tools import read_file, search
import hermes_tools
print(read_file("a"), read_file("b", limit=5), read_file(path="c", limit=2000, encoding="utf8"), search("x"))
print(hermes_tools.read_file.__doc__, hermes_tools.read_file.__annotations__["limit"])`,
    [readFile, searchFiles],
  );
  assert.deepEqual(run, {
    code: 0,
    stdout:
      "{'path': 'a'} {'path': 'b', 'limit': 5} {'path': 'c', 'encoding': 'utf8'} {'pattern': 'x'}\n" +
      "Read a text file. int\n",
    stderr: "",
  });
});

test("a TypeScript script calls tools by position, by name and with both", async () => {
  await using host = await startScriptHost();
  const run = await host.run(
    "typescript",
    `import { read_file, search } from "hermes_tools";
import * as all from "hermes_tools";
import tools from "hermes_tools";
const first: unknown = await read_file("a");
const rest = await Promise.all([read_file("b", 5), read_file({ path: "c", limit: 7 }), read_file("d", { encoding: "utf8" }), search("x"), all.search("y"), tools.search("z")]);
console.log(JSON.stringify([first, ...rest]));`,
    [readFile, searchFiles],
  );
  assert.deepEqual([run.code, run.stderr], [0, ""]);
  assert.deepEqual(JSON.parse(run.stdout), [
    { path: "a" },
    { path: "b", limit: 5 },
    { path: "c", limit: 7 },
    { path: "d", encoding: "utf8" },
    { pattern: "x" },
    { pattern: "y" },
    { pattern: "z" },
  ]);
});

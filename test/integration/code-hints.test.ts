// covers: src/code/child/hints.ts
import assert from "node:assert/strict";
import { test } from "node:test";

import { hintFor } from "../../src/code/child/hints.ts";
import type { CodeRunLanguage, ScriptTool } from "../../src/contracts/code/code-run.ts";
import { startScriptHost } from "../support/script-host.ts";

const tools: readonly ScriptTool[] = [
  {
    name: "read_file",
    description: "Read a file.",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, limit: { type: "integer" } },
      required: ["path"],
    },
  },
];

const failures: readonly (readonly [CodeRunLanguage, string, RegExp | undefined])[] = [
  [
    "python",
    "from hermes_tools import read_flie",
    /no read_flie in this session\. Did you mean read_file\? It has: read_file, /,
  ],
  [
    "python",
    "import hermes_tools\nhermes_tools.browser_close()",
    /no browser_close in this session\. It has: read_file, /,
  ],
  ["python", "import hermes_tools\nread_file('a')", /Import it first: from hermes_tools import read_file/],
  ["python", "import no_such_module", /no_such_module is not installed/],
  ["python", "read_file('a').splitlines()", /parsed values, not JSON text/],
  ["python", "import json\njson.loads(read_file('a'))", /parsed values, not JSON text/],
  ["python", "read_file('a')[:5]", /parsed values, not JSON text/],
  ["python", "read_file('a')['nothing']", /no such key/],
  ["python", "read_file('a', lines=5)", /The arguments are: read_file\(path, limit=…\)\./],
  ["python", "await read_file('a')", /without await/],
  ["python", "1 / 0", undefined],
  ["python", "raise NameError(\"name 'x' is not defined\")", undefined],
  [
    "typescript",
    'import { read_flie } from "hermes_tools";',
    /no read_flie in this session\. Did you mean read_file\?/,
  ],
  [
    "typescript",
    'import * as hermes_tools from "hermes_tools";\nawait read_file("a");',
    /Import it first: import \{ read_file \}/,
  ],
  ["typescript", 'import x from "no-such-module";', /no-such-module is not installed/],
  ["typescript", "(await read_file('a')).split('x');", /parsed values, not JSON text/],
  ["typescript", "JSON.parse(await read_file('a'));", /parsed values, not JSON text/],
  ["typescript", "require('fs');", /ES modules/],
  ["typescript", "throw new Error('other');", undefined],
];

test("a failed script gets a hint about its likely cause", async () => {
  await using host = await startScriptHost();
  for (const [language, code, expected] of failures) {
    const { stderr, code: exit } = await host.run(language, code, tools);
    const hint = hintFor(language, stderr, tools);
    assert.equal(exit, 1, code);
    if (expected === undefined) assert.equal(hint, undefined, code);
    else assert.match(hint ?? "", expected, `${code}\n${stderr}`);
  }
});

import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { discoverTools } from "./discover.ts";

const signal = new AbortController().signal;

function source(name: string): string {
  return `const tool = { name: ${JSON.stringify(name)}, inputSchema: {}, prepare() {} };\nexport default tool;\n`;
}

async function fill(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  // Declares the module type, so that Node does not print a warning.
  for (const [name, content] of Object.entries({ "package.json": '{"type":"module"}', ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

test("every tool file below a folder is discovered, in the order of paths", async () => {
  await using home = await tempHome();
  await fill(home.path, {
    "b.tool.ts": `const name: string = "b";\n${source("b")}`,
    "a.tool.mjs": source("a"),
    "deep/er/c.tool.js": source("c"),
    "deep/two.tool.mts": "export default [1, 2].map((n) => ({ name: `two${n}`, inputSchema: {}, prepare() {} }));",
    "node_modules/x/x.tool.js": source("never"),
    ".git/x.tool.js": source("never"),
    ".hidden.tool.js": source("never"),
    "helper.ts": "throw new Error('never loaded')",
    "c.tool.d.ts": "throw new Error('never loaded')",
    "tool.ts": "throw new Error('never loaded')",
  });
  const { tools, diagnostics } = await discoverTools(home.path, { signal });
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(
    tools.map(({ tool, file }) => `${tool.name} ${relative(home.path, file)}`),
    ["a a.tool.mjs", "b b.tool.ts", "c deep/er/c.tool.js", "two1 deep/two.tool.mts", "two2 deep/two.tool.mts"],
  );
});

test("a file that cannot be loaded is reported, and the other files load", async () => {
  await using home = await tempHome();
  await fill(home.path, {
    "fine.tool.ts": source("fine"),
    "throws.tool.ts": "throw new Error('not today');",
    "throws-nothing.tool.js": "throw undefined;",
    "syntax.tool.ts": "export default {{{",
    "nothing.tool.ts": "export const tool = 1;",
    "number.tool.ts": "export default 42;",
    "mixed.tool.ts": "export default [{ name: 'x', inputSchema: {}, prepare() {} }, null];",
    "missing.tool.ts": "import './not-there.ts'; export default 1;",
    "folder.tool.ts/readme.md": "a folder with the name of a tool",
  });
  const { tools, diagnostics } = await discoverTools(home.path, { signal });
  assert.deepEqual(
    tools.map(({ tool }) => tool.name),
    ["fine"],
  );
  const messages = Object.fromEntries(
    diagnostics.map(({ source: file, message }) => [relative(home.path, file), message]),
  );
  assert.deepEqual(Object.keys(messages), [
    "missing.tool.ts",
    "mixed.tool.ts",
    "nothing.tool.ts",
    "number.tool.ts",
    "syntax.tool.ts",
    "throws-nothing.tool.js",
    "throws.tool.ts",
  ]);
  assert.equal(messages["throws.tool.ts"], "cannot be loaded (line 1): not today");
  assert.equal(messages["throws-nothing.tool.js"], "cannot be loaded: undefined");
  assert.match(messages["nothing.tool.ts"] ?? "", /has no default export/);
  assert.match(messages["number.tool.ts"] ?? "", /neither a tool nor a list/);
});

test("a file that never finishes loading is skipped after its timeout", async () => {
  await using home = await tempHome();
  await fill(home.path, { "fine.tool.js": source("fine"), "hangs.tool.js": "await new Promise(() => {});" });
  const clock = fakeClock();
  const loading = discoverTools(home.path, { signal, clock, timeoutMs: 3000 });
  while (clock.waiting === 0) await new Promise(setImmediate);
  // Lets the valid file finish loading first.
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  await import(join(home.path, "fine.tool.js"));
  clock.advance(3000);
  const { tools, diagnostics } = await loading;
  assert.deepEqual(
    tools.map(({ tool }) => tool.name),
    ["fine"],
  );
  assert.match(diagnostics[0]?.message ?? "", /^cannot be loaded: not loaded within 3 s/);
});

test("a missing folder counts as empty, and a file in place of the folder is reported", async () => {
  await using home = await tempHome();
  assert.deepEqual(await discoverTools(join(home.path, "none"), { signal }), { tools: [], diagnostics: [] });
  await writeFile(join(home.path, "file"), "");
  const { diagnostics } = await discoverTools(join(home.path, "file"), { signal });
  assert.match(diagnostics[0]?.message ?? "", /^cannot be read: ENOTDIR/);
});

test("each link is followed once, and loops and broken links cause no error", async () => {
  await using home = await tempHome();
  await fill(home.path, { "elsewhere/linked.tool.js": source("linked"), "tools/own.tool.js": source("own") });
  await symlink(join(home.path, "elsewhere"), join(home.path, "tools", "more"));
  await symlink(join(home.path, "tools"), join(home.path, "elsewhere", "loop"));
  await symlink(join(home.path, "nowhere"), join(home.path, "tools", "broken.tool.js"));
  const { tools, diagnostics } = await discoverTools(join(home.path, "tools"), { signal });
  assert.deepEqual(
    tools.map(({ tool }) => tool.name),
    ["linked", "own"],
  );
  assert.deepEqual(diagnostics, []);
});

test("an aborted discovery rejects with the reason of the signal", async () => {
  await using home = await tempHome();
  await fill(home.path, { "hangs.tool.js": "await new Promise(() => {});" });
  const stop = new AbortController();
  const loading = discoverTools(home.path, { signal: stop.signal, clock: fakeClock() });
  stop.abort(new Error("stopped"));
  await assert.rejects(loading, /stopped/);
});

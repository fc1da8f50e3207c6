// covers: docs/guide/plugins.md, src/plugins, src/runtime/plugins
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { runHere } from "../support/run-here.ts";
import { runProgram } from "../support/run-program.ts";
import { program, talking } from "../support/talking-program.ts";

const guide = await readFile(join(import.meta.dirname, "../../docs/guide/plugins.md"), "utf8");

/** Types the files of the guide into a home: each block whose introduction ends with its path. */
async function typeFiles(home: string): Promise<readonly string[]> {
  const files = [...guide.matchAll(/`~\/\.hermes\/([^`]+)`:\n\n```\w+\n(.*?)```\n/gsu)];
  for (const [, path = "", text = ""] of files) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  return files.map(([, path = ""]) => path);
}

/** The first block of a language below a heading. */
function block(heading: string, language: string): string {
  const section = guide.slice(guide.indexOf(`## ${heading}\n`));
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\`\\n`, "su").exec(section)?.[1] ?? assert.fail(heading);
}

test("the commands in the guide to plugins work as written", async () => {
  const hello = { text: "Hello." };
  const add = { calls: [{ name: "calculate", args: { expression: "2**16" } }] };
  const convert = { calls: [{ name: "unit_convert", args: { value: 5, from_unit: "km", to_unit: "m" } }] };
  await using at = await talking([hello, add, convert, { text: "65536, and 5000 m." }]);
  const home = at.env.HERMES_HOME;
  assert.equal((await typeFiles(home)).length, 5);

  const script = await runHere(at, ["-z", "hello"]);
  assert.match(script.stderr, /calculator, pycalc are not loaded.*hermes plugins enable/u);
  const sent = JSON.stringify(at.server.requests[0]?.json);
  assert.doesNotMatch(sent, /unit_convert/u, "a script loads no plugin that nobody enabled");

  const shell = (lines: string) =>
    runProgram("/bin/sh", ["-ec", `hermes() { "${process.execPath}" "${program}" "$@"; }\n${lines}`], {
      cwd: at.work,
      env: at.env,
    });
  const typescript = await shell(block("A plugin in TypeScript", "sh"));
  assert.equal(typescript.code, 0, typescript.stderr);
  assert.match(typescript.stdout, /calculator: calculate, unit_convert/u);
  const python = await shell(block("The same in Python", "sh"));
  assert.match(python.stdout, /\{"result": 65536\}/u, python.stderr);
  const granted = await shell(block("Permissions", "sh"));
  assert.equal(granted.code, 0, granted.stderr);

  const chat = await runHere(at, [], "What is 2**16, and 5 km in m?\n");
  assert.match(chat.stdout, /65536, and 5000 m/u, chat.stderr);
  const results = JSON.stringify(at.server.requests.at(-1)?.json);
  assert.match(results, /\\"result\\":65536/u);
  assert.match(results, /\\"result\\":5000/u);
  assert.match(JSON.stringify(at.server.requests[1]?.json["tools"]), /"calculate".*"unit_convert"/u);

  const plugins = await runHere(at, [], "/plugins\n");
  assert.match(plugins.stdout, /Plugins \(2\):\n[^]*✓ calculator v1\.0\.0 \(2 tools, 1 hooks\)/u);
});

test("the other examples in the plugin guide load", async () => {
  await using at = await talking([
    { calls: [{ name: "terminal", args: { command: "git push" } }] },
    { text: "Refused." },
  ]);
  const home = at.env.HERMES_HOME;
  for (const [name, heading] of [
    ["pushguard", "Hooks"],
    ["counter", "Commands"],
  ] as const) {
    const folder = join(home, "plugins", name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "plugin.yaml"), `name: ${name}\n`);
    await writeFile(join(folder, "index.ts"), block(heading, "ts"));
    const enabled = await runHere(at, ["plugins", "enable", name, "--yes"]);
    assert.equal(enabled.code, 0, enabled.stderr);
  }
  assert.match((await runHere(at, ["dice"])).stdout, /^[1-6]\n$/u);
  assert.match((await runHere(at, [], "/count 5\n/count\n")).stdout, /5[^]*6/u);
  const pushed = await runHere(at, ["-z", "push"]);
  assert.match(pushed.stderr, /terminal: denied: .*It pushes to a remote/u);
});

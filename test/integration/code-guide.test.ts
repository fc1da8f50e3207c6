// covers: docs/guide/code.md, src/code, src/tools/code
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { guideBlocks } from "../support/guide-blocks.ts";
import { runProgram } from "../support/run-program.ts";
import { program, talking } from "../support/talking-program.ts";

const guide = await readFile(join(import.meta.dirname, "../../docs/guide/code.md"), "utf8");

test("the commands in the guide to scripts work as written", async () => {
  const { sh, python, text } = guideBlocks(guide);
  const [make = "", run = "", prompt = "", exported = ""] = sh;
  const [errors = "", load = "", count = "", attempts = ""] = python;
  await using at = await talking([
    { calls: [{ name: "execute_code", args: { code: errors } }] },
    { calls: [{ name: "execute_code", args: { code: load, kernel: true } }] },
    { calls: [{ name: "execute_code", args: { code: count, kernel: true } }] },
    { calls: [{ name: "execute_code", args: { code: attempts } }] },
    { text: "Two kinds." },
  ]);
  const shell = (lines: string, folder = at.work) =>
    runProgram("/bin/sh", ["-ec", `hermes() { "${process.execPath}" "${program}" "$@"; }\n${lines}`], {
      cwd: folder,
      env: at.env,
    });
  const project = await shell(make);
  assert.equal(project.code, 0, project.stderr);
  const shop = join(at.work, "shop");
  await writeFile(join(shop, "errors.py"), errors);

  const called = await shell(run, shop);
  assert.equal(called.code, 0, called.stderr);
  assert.equal(outputOf(called.stdout), text[0]);

  const answered = await shell(prompt, shop);
  assert.equal(answered.stdout, "Two kinds.\n", answered.stderr);
  const calls = await shell(exported, shop);
  assert.match(calls.stdout, /"search_files"[^]*"read_file"/u, calls.stderr);
  const results = JSON.stringify(at.server.requests.at(-1)?.json);
  // The model got only the printed lines, not the files.
  assert.match(results, /2 card service did not answer\\\\n1 queue is full/u);
  assert.doesNotMatch(results, /2026-05-03/u);
  const printed = (output: string) => `\\"output\\":${JSON.stringify(JSON.stringify(output)).slice(1, -1)}`;
  for (const output of text.slice(1)) assert.ok(results.includes(printed(output)), output);
});

function outputOf(result: string): string {
  const { output } = JSON.parse(result) as { output: string };
  return output;
}

// covers: docs/guide/safety.md, src/safety/policy, src/tools/files
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { talking } from "../support/talking-program.ts";

const guide = join(import.meta.dirname, "..", "..", "docs", "guide", "safety.md");
const [allow, deny, ask] = [0, 4, 5];

test("the guide and the program agree about files with keys", async () => {
  const text = await readFile(guide, "utf8");
  const [, examplesText = ""] =
    /Hermes asks before a file with keys or passwords is read \(([^)]*)\)/u.exec(text) ?? [];
  const [, names = ""] = /prints only the names in a `\.env` file \(`([^`]*)`\) needs no approval/u.exec(text) ?? [];
  const examples = [...examplesText.matchAll(/`([^`]+)`/gu)].map(([, each = ""]) =>
    each.includes(" ") ? each : `cat ${each}`,
  );
  assert.ok(examples.length >= 3 && names !== "", "the sentences of the guide that this test reads");
  assert.match(text, /denies it where keys are/u);
  assert.match(
    text,
    /file tools\s+never read `\.env` files, `\.envrc` and Hermes' own stores: that is denied without a question/u,
  );
  assert.match(text, /`\.pem` file in the workspace, can be\s+read; Hermes masks the key/u);

  await using at = await talking([]);
  const verdict = async (command: string) => (await at.run(["policy", "test", command])).code;
  for (const command of examples) assert.equal(await verdict(command), ask, command);
  assert.equal(await verdict(names), allow, names);
  assert.equal(await verdict("echo x >> ~/.ssh/authorized_keys"), deny);

  const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
  await writeFile(join(at.work, "key.pem"), `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`);
  for (const name of [".env", ".envrc"]) await writeFile(join(at.work, name), "TOKEN=quince\n");
  const read = (path: string) => at.run(["tools", "call", "read_file", "--args", JSON.stringify({ path })]);
  for (const path of [".env", ".envrc", join(at.env.HERMES_HOME, ".env")]) {
    const { code, stdout, stderr } = await read(path);
    assert.notEqual(code, 0, path);
    assert.doesNotMatch(stdout + stderr, /quince/u);
  }
  const key = await read("key.pem");
  assert.equal(key.code, 0, key.stderr);
  assert.match(key.stdout, /BEGIN PRIVATE KEY/u);
  assert.ok(!key.stdout.includes(body), key.stdout);
});

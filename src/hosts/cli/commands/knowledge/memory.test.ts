import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

test("notes are edited in a file of the home, and no draft stays", { skip: process.platform === "win32" }, async () => {
  await using home = await tempHome();
  const seen = join(home.path, "seen");
  const editor = `sh -c 'echo "$1" > ${seen}; echo "likes tea" > "$1"' edit`;
  const edited = await hermes(["memory", "edit"], { home: home.path, env: { EDITOR: editor } });
  assert.equal(edited.code, 0, edited.err);
  const folder = join(home.path, "memories");
  assert.ok((await readFile(seen, "utf8")).startsWith(`${folder}/`));
  assert.match(await readFile(join(folder, "MEMORY.md"), "utf8"), /likes tea/u);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith(".edit")),
    [],
  );
});

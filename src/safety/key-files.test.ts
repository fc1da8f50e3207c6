import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { createKeyFiles } from "./key-files.ts";

test("files with keys are listed in any folder, and example files are not", async () => {
  await using folder = await tempHome();
  const names = [".env", ".env.local", ".env.example", "a/b/server.pem", "a/id_ed25519", ".aws/config", "a/src.ts"];
  for (const name of [...names, "node_modules/x/.env"]) {
    const path = join(folder.path, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, "x");
  }
  const keys = await createKeyFiles(fakeClock()).in(folder.path);
  assert.deepEqual(keys?.map((path) => relative(folder.path, path)).toSorted(), [
    ".aws",
    ".env",
    ".env.local",
    "a/b/server.pem",
    "a/id_ed25519",
  ]);
});

test("a new key file is included in the next search", async () => {
  await using folder = await tempHome();
  const keys = createKeyFiles(fakeClock());
  assert.deepEqual(await keys.in(folder.path), []);
  await writeFile(join(folder.path, ".env"), "x");
  assert.deepEqual(await keys.in(folder.path), [join(folder.path, ".env")]);
});

test("a folder with too many key files to hide is not shown in the sandbox", async () => {
  await using folder = await tempHome();
  await Promise.all(Array.from({ length: 250 }, (_, index) => writeFile(join(folder.path, `${index}.key`), "x")));
  assert.equal(await createKeyFiles(fakeClock()).in(folder.path), undefined);
});

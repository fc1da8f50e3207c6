import assert from "node:assert/strict";
import { chmodSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { findBrowser } from "./find-browser.ts";

test("a wrapper script is resolved to the browser that it starts; only the start of both files is read", async () => {
  await using folder = await tempHome();
  const binary = join(folder.path, "chromium-binary");
  const script = join(folder.path, "own-headless-shell");
  writeFileSync(binary, "\u007FELF");
  writeFileSync(script, `#!/bin/sh\nexec ${binary} "$@"\n`);
  for (const path of [binary, script]) {
    chmodSync(path, 0o755);
    // More than Node can read into memory. The files are sparse and take no space.
    truncateSync(path, 5 * 1024 ** 3);
  }
  const search = { engine: "auto", isHeaded: false, env: {}, platform: "linux" } as const;
  assert.deepEqual(findBrowser({ ...search, executable: script }), { program: binary, isHeadlessShell: true });
  assert.deepEqual(findBrowser({ ...search, executable: binary }), { program: binary, isHeadlessShell: false });
});

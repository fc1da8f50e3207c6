import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

test("`hermes skins` lists skins and shows one, with the problems of its file", async () => {
  await using home = await tempHome();
  await mkdir(join(home.path, "skins"));
  await writeFile(join(home.path, "skins", "mine.yaml"), "description: my look\ncolors:\n  prompt: blue\n");
  const list = await hermes(["skins", "list"], { home: home.path });
  assert.match(list.out, /default .* ← default/u);
  assert.match(list.out, /mine +my look/u);
  const shown = await hermes(["skins", "show", "mine"], { home: home.path });
  assert.equal(shown.code, 0);
  assert.match(shown.out, /mine\.yaml:3:3: colors\.prompt: must be a colour/u);
  const wrong = await hermes(["skins", "show", "slat"], { home: home.path });
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /Did you mean slate\?/u);
});

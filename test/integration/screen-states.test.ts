// covers: src/hosts/cli/screen, src/hosts/cli/markdown, src/hosts/cli/skins, src/hosts/cli/chat/feed
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { scenes, screenOfScene } from "../support/screen-scenes.ts";

const folder = join(import.meta.dirname, "..", "screens");

for (const name of Object.keys(scenes))
  test(`the screen matches test/screens/${name}.txt (npm run pictures draws it again)`, async () => {
    const expected = await readFile(join(folder, `${name}.txt`), "utf8");
    const { text } = await screenOfScene(name, { expected });
    assert.equal(text, expected);
  });

/** Draws the pictures of the README and the text snapshots in `test/screens` from the real program: `npm run pictures [-- NAME…]`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { pictureOf } from "../test/support/screen-picture.ts";
import { scenes, screenOfScene } from "../test/support/screen-scenes.ts";

const root = join(import.meta.dirname, "..");
const pictures = join(root, "docs", "pictures");
const screens = join(root, "test", "screens");
await mkdir(pictures, { recursive: true });
await mkdir(screens, { recursive: true });
const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : Object.keys(scenes)) {
  await writeFile(join(screens, `${name}.txt`), (await screenOfScene(name)).text);
  if (!name.endsWith("-40")) {
    const settings = { isolation: { mode: "auto" } };
    const { cells, title } = await screenOfScene(name, { env: { COLORTERM: "truecolor" }, settings });
    await writeFile(join(pictures, `${name}.svg`), pictureOf(cells, title));
  }
  console.log(name);
}

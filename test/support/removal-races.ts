import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { inChild, runAll } from "./child-process.ts";
import { tempHome } from "./temp-home.ts";

const files = ["a", "b", "c"];
const folders = Array.from({ length: 20 }, (_, index) => `folder-${index}`);

/**
 * Removes a tree repeatedly while a process swaps each of its folders for a link to a folder outside. Returns how often
 * files outside were deleted.
 */
export async function raceRemovals(tries: number, remove: (path: string) => Promise<void>): Promise<number> {
  await using home = await tempHome();
  const [fresh, tree, outside] = [join(home.path, "fresh"), join(home.path, "tree"), join(home.path, "outside")];
  fill(outside);
  let losses = 0;
  const swapping = inChild(home.path, swapLoop, folders);
  await new Promise((resolve) => swapping.process.stdout?.once("data", resolve));
  await runAll([swapping], async () => {
    for (let index = 0; index < tries; index++) {
      mkdirSync(fresh);
      for (const name of folders) {
        fill(join(fresh, name));
        symlinkSync(outside, join(fresh, `${name}.link`));
      }
      renameSync(fresh, tree);
      // The process puts folders back while they are removed, so the tree may stay.
      await remove(tree).catch(() => undefined);
      if (readdirSync(outside).length < files.length) losses++;
      fill(outside);
      // The process no longer reaches what is left.
      if (existsSync(tree)) renameSync(tree, join(home.path, `left-${index}`));
    }
  });
  return losses;
}

function fill(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of files) writeFileSync(join(folder, name), "x");
}

/** All folders become links, then folders again: each state lasts for about as long as reading a folder takes. */
const swapLoop = `
  import { renameSync } from "node:fs";
  const paths = process.argv.slice(-20).map((name) => "tree/" + name);
  const attempt = (from, to) => { try { renameSync(from, to); } catch {} };
  process.stdout.write("swapping");
  for (;;) {
    for (const path of paths) { attempt(path, path + ".folder"); attempt(path + ".link", path); }
    for (const path of paths) { attempt(path, path + ".link"); attempt(path + ".folder", path); }
  }
`;

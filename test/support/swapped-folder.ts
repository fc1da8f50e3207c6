import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { inChild, runAll } from "./child-process.ts";
import { tempHome } from "./temp-home.ts";

/** A folder that another process replaces by a link and puts back, over and over. */
export interface SwappedFolder {
  readonly home: string;
  /** Below `home`; does not change. */
  readonly root: string;
  /** In `root`: a folder, or a link to `outside`. */
  readonly folder: string;
  /** Beside `root`. Contains `secret.txt`. */
  readonly outside: string;
}

const outsideSecret = "the secret outside";

export interface RaceOutcome {
  /** Attempts that read the file outside. */
  readonly leaks: number;
  /** Names that appeared outside, and the secret if its text or mode changed or it was removed. */
  readonly escaped: readonly string[];
  /** Tries that did their work. */
  readonly done: number;
}

/**
 * Prepares the place, then tries repeatedly while a process swaps the folder. A try returns whether it did its work,
 * with what it read.
 */
export async function raceAgainstSwaps(
  tries: number,
  prepare: (place: SwappedFolder) => Promise<(index: number) => Promise<{ isDone: boolean; read?: string }>>,
  name = "folder",
): Promise<RaceOutcome> {
  await using home = await tempHome();
  const [root, outside] = [join(home.path, "project"), join(home.path, "outside")];
  const place = { home: home.path, root, outside, folder: join(root, name) };
  mkdirSync(place.folder, { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, "secret.txt"), outsideSecret, { mode: 0o600 });
  symlinkSync(outside, join(root, "link"));
  const attempt = await prepare(place);
  const swapping = inChild(root, swapLoop, [name]);
  await new Promise((resolve) => swapping.process.stdout?.once("data", resolve));
  let [leaks, done] = [0, 0];
  await runAll([swapping], async () => {
    for (let index = 0; index < tries; index++) {
      const { isDone, read = "" } = await attempt(index);
      if (isDone) done++;
      if (read.includes(outsideSecret)) leaks++;
    }
  });
  const [names, file] = [readdirSync(outside), join(outside, "secret.txt")];
  const isKept =
    names.includes("secret.txt") &&
    readFileSync(file, "utf8") === outsideSecret &&
    (statSync(file).mode & 0o777) === 0o600;
  return {
    leaks,
    done,
    escaped: [...names.filter((name) => name !== "secret.txt"), ...(isKept ? [] : ["secret.txt"])],
  };
}

/**
 * Each state lasts for a random time of zero to four milliseconds: about as long as a write takes. A folder that a
 * writer created in the gap between two renames replaces the one that was set aside.
 */
const swapLoop = `
  import { lstatSync, renameSync, rmSync } from "node:fs";
  const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 4);
  const attempt = (step) => { try { step(); } catch {} };
  const name = process.argv.at(-1);
  process.stdout.write("swapping");
  for (;;) {
    attempt(() => renameSync(name, "aside"));
    attempt(() => renameSync("link", name));
    pause();
    attempt(() => { if (lstatSync(name).isSymbolicLink()) renameSync(name, "link"); else rmSync("aside", { recursive: true }); });
    attempt(() => renameSync("aside", name));
    pause();
  }
`;

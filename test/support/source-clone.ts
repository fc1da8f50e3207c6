import assert from "node:assert/strict";
import { mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { runProgram } from "./run-program.ts";

const root = join(import.meta.dirname, "..", "..");

const small = "hermes package.json package-lock.json tsconfig.json pinned-node scripts".split(" ");

/** A clone as a developer has it after the first set-up. It has to be built. */
export async function copyClone(folder: string): Promise<string> {
  return copySources(folder, [...small, "src", "data"]);
}

/** A clone with one source file, for set-ups that build nothing and for `replaceBuild`: a whole one has 3,000. */
export async function copySmallClone(folder: string): Promise<string> {
  const copy = await copySources(folder, small);
  const entry = join("src", "bin", "hermes.ts");
  await mkdir(join(copy, "src", "bin"), { recursive: true });
  await copyTree([entry], join(copy, "src", "bin"));
  return copy;
}

async function copySources(folder: string, names: readonly string[]): Promise<string> {
  const copy = join(folder, "clone");
  await mkdir(copy);
  await copyTree(names, copy);
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Adds the build of this clone. */
export async function copyBuild(copy: string): Promise<void> {
  await copyDist(copy);
  const now = new Date();
  await utimes(join(copy, "dist", "build-stamp"), now, now);
}

/**
 * From now on, a build of the clone takes the build of this one: a real build takes ten seconds of processor time. The
 * clone then needs a build, because one of its scripts changed.
 */
export async function replaceBuild(copy: string): Promise<void> {
  await writeFile(
    join(copy, "scripts", "build.ts"),
    `import { copyFileSync, cpSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
const startedAt = new Date(Date.now() - 20);
const [from, to] = [${JSON.stringify(join(root, "dist"))}, join(import.meta.dirname, "..", "dist")];
const isBuilt = (path) => !/\\/dist\\/(?:build-stamp|cache|bench-|install-)/u.test(path);
cpSync(from, to, { recursive: true, filter: isBuilt });
const stamp = join(to, \`build-stamp.\${process.pid}.tmp\`);
copyFileSync(join(from, "build-stamp"), stamp);
utimesSync(stamp, startedAt, startedAt);
renameSync(stamp, join(to, "build-stamp"));
`,
  );
}

/** Omits caches and folders of other tests, which change while they are copied. */
export async function copyDist(to: string): Promise<void> {
  await mkdir(join(to, "dist"));
  const names = await readdir(join(root, "dist"));
  const built = names.filter((name) => name !== "cache" && !/^(?:bench|install)-/u.test(name));
  await copyTree(built, join(to, "dist"), join(root, "dist"));
}

/** Uses the system's program, which is ten times faster than Node for this many files. */
export async function copyTree(names: readonly string[], to: string, from = root): Promise<void> {
  const copied = await runProgram("cp", ["-a", ...names.map((name) => join(from, name)), to], { timeoutMs: 300_000 });
  assert.equal(copied.code, 0, copied.stderr);
}

import assert from "node:assert/strict";
import { globSync, readdirSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { runProgram } from "./run-program.ts";

const root = join(import.meta.dirname, "..", "..");

/** The program of this clone as package files of two versions, with the first one installed globally. */
export interface InstalledPackage {
  readonly launcher: string;
  /** The folder with the launcher, and later with `versions/`. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a complete update to a package file. */
  update(file: string): Promise<void>;
  /** Deletes a version that an update added. */
  remove(version: string): void;
  /** The package file of another version. */
  pack(version: string): Promise<string>;
}

/** With `isAlone`, the package has no dependencies, because installing them takes npm a long time. */
export async function installPackage(folder: string, isAlone = false): Promise<InstalledPackage> {
  const npm = (cwd: string, ...args: readonly string[]) => quietly("npm", args, { cwd });
  // The build of this clone: a release build takes long, and updates do not depend on it. Types and docs are not needed
  // to run.
  const packed: readonly string[] = JSON.parse(await readFile(join(root, "package.json"), "utf8")).files;
  const parts = globSync(
    [...packed, "package.json"].filter((name) => !/^(?:docs|dist.types)$/u.test(name)),
    { cwd: root },
  );
  const repack = async (version: string | undefined) => {
    const tree = await mkdtemp(join(folder, "tree-"));
    await mkdir(join(tree, "package"));
    await quietly("cp", ["-a", "--parents", ...parts, join(tree, "package")], { cwd: root });
    await renumber(join(tree, "package"), version, isAlone);
    const file = join(tree, `hermes-agent-ts-${version ?? "first"}.tgz`);
    await quietly("tar", ["--use-compress-program=gzip -1", "-cf", file, "-C", tree, "package"], { cwd: folder });
    return file;
  };
  const first = await repack(undefined);
  const prefix = join(folder, "prefix");
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await npm(folder, "install", "--global", "--prefix", prefix, ...flags, first);
  const modules = join(prefix, "lib", "node_modules", "hermes-agent-ts");
  // Uses the Node of the tests, because an installed package runs on the user's Node.
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { HERMES_HOME: join(folder, "home"), HOME: folder, PATH: path, npm_config_cache: await cacheFolder() };
  return {
    launcher: join(prefix, "bin", "hermes"),
    root: modules,
    env,
    pack: repack,
    remove(version) {
      const versions = join(modules, "versions");
      for (const each of readdirSync(versions))
        if (each.startsWith(`${version}-`)) rmSync(join(versions, each), { recursive: true });
    },
    async update(file) {
      const ran = await runProgram(join(prefix, "bin", "hermes"), ["update", file, "--force"], {
        env,
        timeoutMs: 600_000,
      });
      assert.equal(ran.code, 0, ran.stderr);
    },
  };
}

/** The bundle contains the version as text. */
async function renumber(folder: string, version: string | undefined, isAlone: boolean): Promise<void> {
  const manifest = join(folder, "package.json");
  const { version: old, dependencies, ...rest } = JSON.parse(await readFile(manifest, "utf8"));
  const changed = { ...rest, version: version ?? old, ...(!isAlone && { dependencies }) };
  await writeFile(manifest, JSON.stringify(changed));
  for (const name of version === undefined ? [] : await readdir(join(folder, "dist"), { recursive: true })) {
    if (!/\.c?js$/u.test(name)) continue;
    const file = join(folder, "dist", name);
    const text = await readFile(file, "utf8");
    if (text.includes(`"${old}"`)) await writeFile(file, text.replaceAll(`"${old}"`, `"${version}"`));
  }
}

async function cacheFolder(): Promise<string> {
  return (await quietly("npm", ["config", "get", "cache"], { cwd: root })).trim();
}

async function quietly(command: string, args: readonly string[], { cwd }: { readonly cwd: string }): Promise<string> {
  const ran = await runProgram(command, args, { cwd, timeoutMs: 600_000 });
  assert.equal(ran.code, 0, `${command} ${args.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
}

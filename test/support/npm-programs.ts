import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { npmFlags } from "../../scripts/setup.mjs";
import { systemClock as clock } from "../../src/base/clock.ts";
import { withFileLock } from "../../src/base/files/file-lock.ts";
import { err, ok, reasonOf, type Result } from "../../src/base/result.ts";
import { runProgram } from "./run-program.ts";

const root = join(import.meta.dirname, "..", "..");
/** Ignored by git. */
const cache = join(root, ".test-programs");
const maxInstallMs = 240_000;

export interface NpmPrograms {
  /** The folder of the packages. Empty if `skip` has a reason. */
  readonly folder: string;
  /** The reason to skip a test: `test(name, { skip: programs.skip }, …)`. */
  readonly skip: string | false;
}

/**
 * Packages of `test/programs/NAME` that tests use. The first test that needs them installs them, once per lock file;
 * tests in other processes wait for it.
 */
export async function npmPrograms(name: "mcp" | "agents" | "web" | "browser" | "pages"): Promise<NpmPrograms> {
  const source = join(root, "test", "programs", name);
  const lockFile = readFileSync(join(source, "package-lock.json"));
  const version = createHash("sha256").update(lockFile).digest("hex").slice(0, 12);
  const installed = join(cache, `${name}-${version}`);
  const folder = join(installed, "node_modules");
  if (existsSync(folder)) return { folder, skip: false };
  const isLarge = name === "agents";
  if (isLarge && process.env.HERMES_TEST_AGENTS !== "1")
    return { folder: "", skip: "needs 800 MB of packages from npm; HERMES_TEST_AGENTS=1 lets the tests install them" };
  mkdirSync(cache, { recursive: true });
  const locked = await withFileLock(join(cache, name), () => install(name, source, installed), {
    signal: new AbortController().signal,
    timeoutMs: 2 * maxInstallMs,
    clock,
  });
  const done = locked.ok ? locked.value : err(locked.error.message);
  return done.ok
    ? { folder, skip: false }
    : { folder: "", skip: `needs the packages of test/programs/${name}: ${done.error}` };
}

/** Installs next to the final path, so that a killed installation never counts as complete. */
async function install(name: string, source: string, installed: string): Promise<Result<void, string>> {
  if (existsSync(installed)) return ok(undefined);
  for (const old of readdirSync(cache))
    if (old.startsWith(`${name}-`)) rmSync(join(cache, old), { recursive: true, force: true });
  const stage = join(cache, `${name}-stage`);
  try {
    await mkdir(stage, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) await copyFile(join(source, file), join(stage, file));
    const ran = await runProgram("npm", ["ci", ...npmFlags], { cwd: stage, timeoutMs: maxInstallMs });
    if (ran.code === 0) renameSync(stage, installed);
    else rmSync(stage, { recursive: true, force: true });
    return ran.code === 0 ? ok(undefined) : err(explain(ran.code, `${ran.stdout}\n${ran.stderr}`));
  } catch (thrown) {
    return err(reasonOf(thrown));
  }
}

function explain(code: number | null, output: string): string {
  if (code === null) return `npm ci took longer than ${maxInstallMs / 1000} s`;
  const isUnreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|network/i;
  if (isUnreachable.test(output)) return "the package registry cannot be reached, and they are not in npm's cache";
  const lines = output.split("\n").filter((line) => line.startsWith("npm error"));
  return `npm ci failed (exit code ${code}): ${lines.slice(0, 3).join("; ")}`;
}

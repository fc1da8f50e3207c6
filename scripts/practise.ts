/**
 * Lets a bundle that was just built hold a short conversation with the built-in model, in a home of its own. Its compiled
 * code is kept, and with it which functions were worth optimising: so the first start of a user is as fast as any other,
 * and a call is a tenth faster from the first one on. Nothing depends on it: where it does not work, the first process of a
 * user does it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { nodeFlags } from "./setup.mjs";

/** `scripts`: what is kept of them is looked for, and when all is there nothing is done. */
export function practise(dist: string, scripts: readonly string[]): void {
  const cache = join(dist, "cache");
  const kept = existsSync(cache)
    ? readdirSync(cache, { recursive: true, encoding: "utf8" }).map((each) => basename(each))
    : [];
  if (scripts.every((script) => kept.some((name) => name.startsWith(`${basename(script)}-`)))) return;
  const home = mkdtempSync(join(tmpdir(), "hermes-practice-"));
  try {
    spawnSync(process.execPath, [...nodeFlags, join(dist, "hermes.js")], {
      input: prompts.join("\n"),
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home, HERMES_HOME: join(home, ".hermes"), LANG: "C.UTF-8" },
      stdio: ["pipe", "ignore", "ignore"],
      timeout: longestMs,
    });
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A command between two prompts keeps them apart. */
const prompts = Array.from({ length: 12 }, (_, at) => [`run echo ${at}`, "/status"]).flat();
const longestMs = 20_000;

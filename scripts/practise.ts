/**
 * Lets a bundle that was just built hold two short conversations in a home of its own: with the built-in model, as
 * somebody who just came, and with one that asks for many calls over the wire. Its compiled code is kept, and with it which
 * functions were worth optimising: so the first start of a user is as fast as any other, and a call is faster from the
 * first one on. Nothing depends on it: where it does not work, the first process of a user does it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { startPracticeModel } from "./practice-model.ts";
import { nodeFlags } from "./setup.mjs";

/** `scripts`: what is kept of them is looked for, and when all is there nothing is done. */
export async function practise(dist: string, scripts: readonly string[]): Promise<void> {
  const cache = join(dist, "cache");
  const kept = existsSync(cache)
    ? readdirSync(cache, { recursive: true, encoding: "utf8" }).map((each) => basename(each))
    : [];
  if (scripts.every((script) => kept.some((name) => name.startsWith(`${basename(script)}-`)))) return;
  const home = mkdtempSync(join(tmpdir(), "hermes-practice-"));
  try {
    await talk(dist, home, [], prompts.join("\n"));
    await using model = await startPracticeModel();
    const settings = { provider: "custom", default: "practice", base_url: model.url, api_key: "none" };
    // JSON is YAML.
    writeFileSync(join(home, ".hermes", "config.yaml"), JSON.stringify({ model: settings }));
    await talk(dist, home, ["-z", "go"], "");
  } catch {
    // A machine without loopback, a full disk: who needs the bundle hears of it then.
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A command between two prompts keeps them apart. */
const prompts = Array.from({ length: 6 }, (_, at) => [`run echo ${at}`, "/status"]).flat();
const longestMs = 20_000;

async function talk(dist: string, home: string, args: readonly string[], input: string): Promise<void> {
  const child = spawn(process.execPath, [...nodeFlags, join(dist, "hermes.js"), ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, HERMES_HOME: join(home, ".hermes"), LANG: "C.UTF-8" },
    stdio: ["pipe", "ignore", "ignore"],
    timeout: longestMs,
  });
  child.stdin.on("error", () => {}).end(input);
  await once(child, "exit");
}

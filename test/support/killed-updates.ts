import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import type { InstalledPackage } from "./installed-package.ts";
import { runProgram } from "./run-program.ts";

/** How a killed update left the installation. */
export interface KilledUpdate {
  /** The version that starts now, or what is wrong. */
  readonly version: string | undefined;
  readonly fault: string | undefined;
  /** The update ended before it could be killed. */
  readonly ended: boolean;
}

/**
 * Starts an update, kills it with SIGKILL after some time, and starts the program. Every second time npm and the checks
 * that it started survive it, as they do when only one process is killed.
 */
export async function killUpdate(
  installed: InstalledPackage,
  file: string,
  afterMs: number,
  killsAll: boolean,
): Promise<KilledUpdate> {
  const { launcher, env, root } = installed;
  const child = spawn(launcher, ["update", file, "--force", "--yes"], {
    env: { ...process.env, FORCE_COLOR: undefined, ...env },
    stdio: "ignore",
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const isOver = await Promise.race([exited.then(() => true), pause(afterMs).then(() => false)]);
  child.kill("SIGKILL");
  if (killsAll) killBelow(root);
  await exited;
  const version = await runProgram(launcher, ["--version"], { env });
  const listed = await runProgram(launcher, ["tools", "list", "--json"], { env });
  const isWhole = listed.code === 0 && listed.stdout.includes('"read_file"');
  const name = /^hermes (\S+)\n$/u.exec(version.stdout)?.[1];
  const fault =
    name === undefined ? `--version: ${version.stderr}` : isWhole ? undefined : `tools list: ${listed.stderr}`;
  return { version: name, fault, ended: isOver };
}

/** Processes whose command line or folder is in the installation. */
function killBelow(root: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) {
    try {
      if (Number(pid) !== process.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${root}/versions/`))
        process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import type { InstalledPackage } from "./installed-package.ts";
import { runProgram } from "./run-program.ts";

/** The state in which a killed update left the installation. */
export interface KilledUpdate {
  /** The version that starts now, or the error. */
  readonly version: string | undefined;
  readonly fault: string | undefined;
  /** True if the update ended before it could be killed. */
  readonly ended: boolean;
}

/**
 * `place` is the moment when the new version appears next to the old one; `switch` when the launcher's file changes.
 */
export type UpdateMoment = "start" | "place" | "switch";

/**
 * Starts an update, kills it with SIGKILL some time after a given moment, and starts the program. Without `killsAll`,
 * npm and the checks that it started survive.
 */
export async function killUpdate(
  installed: InstalledPackage,
  file: string,
  when: { readonly after: UpdateMoment; readonly ms: number },
  killsAll: boolean,
): Promise<KilledUpdate> {
  const { launcher, env, root } = installed;
  const before = stateOf(root);
  const child = spawn(launcher, ["update", file, "--force", "--yes"], {
    env: { ...process.env, FORCE_COLOR: undefined, ...env },
    stdio: "ignore",
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const isReached = () => when.after === "start" || stateOf(root)[when.after] !== before[when.after];
  while (!isOver() && !isReached()) await pause(1);
  await Promise.race([exited, pause(when.ms)]);
  const ended = isOver();
  child.kill("SIGKILL");
  if (killsAll) killBelow(root);
  await exited;
  const version = await runProgram(launcher, ["--version"], { env });
  const listed = await runProgram(launcher, ["tools", "list", "--json"], { env });
  const isWhole = listed.code === 0 && listed.stdout.includes('"read_file"');
  const name = /^hermes (\S+)\n$/u.exec(version.stdout)?.[1];
  const fault =
    name === undefined ? `--version: ${version.stderr}` : isWhole ? undefined : `tools list: ${listed.stderr}`;
  return { version: name, fault, ended };
}

function stateOf(root: string): Readonly<Record<UpdateMoment, string>> {
  const versions = join(root, "versions");
  const read = <T>(compute: () => T, fallback: T): T => {
    try {
      return compute();
    } catch {
      return fallback;
    }
  };
  const names = read(() => readdirSync(versions), []).filter((name) => /^\d/u.test(name));
  return { start: "", place: names.join(" "), switch: read(() => readFileSync(join(versions, "active"), "utf8"), "") };
}

/** Processes whose command line or folder is in the installation. */
function killBelow(root: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) {
    try {
      if (Number(pid) !== process.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${root}/versions/`))
        process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has ended meanwhile.
    }
  }
}

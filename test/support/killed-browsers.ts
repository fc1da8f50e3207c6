import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { processStart } from "../../src/base/process/process-owner.ts";
import { valueOr } from "../../src/base/result.ts";
import { sourceFlags } from "./child-process.ts";
import { eventually } from "./eventually.ts";

/**
 * Starts a program with three open pages and kills it with SIGKILL. Resolves when no process of its browser, no lock
 * of its profile and no temporary folder is left. With `account`, the program runs as this user. Returns the command
 * lines of the browser and the notices of the program.
 */
export async function killBrowserOwner(
  withProfile: boolean,
  account?: { readonly uid: number; readonly gid: number },
): Promise<{ readonly commandLines: readonly string[]; readonly output: string }> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-browsers-"));
  // A browser started by root runs as another account, which must be able to enter the folder.
  chmodSync(folder, 0o711);
  const [home, temp] = [join(folder, "home"), join(folder, "tmp")];
  for (const each of [home, temp]) {
    mkdirSync(each, { mode: 0o711 });
    if (account) chownSync(each, account.uid, account.gid);
  }
  writeFileSync(join(home, "config.yaml"), `browser:\n  profile: ${withProfile ? "kept" : '""'}\n`);
  const child = spawn(process.execPath, [...sourceFlags, join(import.meta.dirname, "browser-holder.ts"), home], {
    env: { ...process.env, TMPDIR: temp },
    stdio: ["ignore", "pipe", "pipe"],
    ...account,
  });
  try {
    const output = await readyLine(child);
    // Renderers have neither the folder in their command line nor a readable environment.
    const started = withDescendants(processesOf(folder)).map((pid) => ({ pid, start: processStart(pid) }));
    if (started.length < 4) throw new Error(`only ${started.length} processes of a browser run`);
    const commandLines = processesOf(folder).map(commandLine);
    child.kill("SIGKILL");
    const isLeft = () => started.some(({ pid, start }) => start !== undefined && processStart(pid) === start);
    await eventually(() => !isLeft() && processesOf(folder).length === 0, "browser processes are left");
    await eventually(() => readdirSync(temp).length === 0, "a temporary folder is left");
    const lock = join(home, "browser", "profiles", "kept", "SingletonLock");
    if (withProfile && !existsSync(join(home, "browser", "profiles", "kept"))) throw new Error("the profile is gone");
    await eventually(() => lstatSync(lock, { throwIfNoEntry: false }) === undefined, "the lock of the profile is left");
    return { commandLines, output };
  } finally {
    child.kill("SIGKILL");
    for (const pid of processesOf(folder)) valueOr(() => process.kill(pid, "SIGKILL"), false);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function readyLine(child: ReturnType<typeof spawn>): Promise<string> {
  let output = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("ready\n")) resolve(output);
    });
    child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("exit", () => reject(new Error(`it ended: ${output}`)));
  });
}

function withDescendants(pids: readonly number[]): readonly number[] {
  const all = new Set(pids);
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }));
  for (let size = 0; size !== all.size;) {
    size = all.size;
    for (const { pid, parent } of parents) if (all.has(parent)) all.add(pid);
  }
  return [...all];
}

function parentOf(pid: string): number {
  const stat = valueOr(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");
  return Number(stat.replace(/^.*\) \S /su, "").split(" ")[0]);
}

function commandLine(pid: number): string {
  return valueOr(() => readFileSync(`/proc/${pid}/cmdline`, "latin1"), "").replaceAll("\0", " ");
}

/** Processes whose command line or environment contains the folder, except the program itself. */
function processesOf(folder: string): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
  return pids.map(Number).filter((pid) => {
    const read = (file: string) => valueOr(() => readFileSync(`/proc/${pid}/${file}`, "latin1"), "");
    const line = read("cmdline");
    return line !== "" && !line.includes("browser-holder") && `${line}\0${read("environ")}`.includes(folder);
  });
}

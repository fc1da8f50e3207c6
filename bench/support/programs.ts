import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { nodeFlags } from "../../scripts/setup.mjs";

const root = join(import.meta.dirname, "..", "..");

export interface Scene extends Disposable {
  /** Environment with its own home folder, so that start-up files of a shell have no effect. */
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** An empty folder to work in. */
  readonly folder: string;
}

/** Creates a home whose settings contain only this model server and `settings`. */
export function makeScene(url: string, settings = ""): Scene {
  const top = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  const [home, folder] = [join(top, "home"), join(top, "work")];
  for (const each of [home, folder]) mkdirSync(each, { mode: 0o700 });
  const model = `model:\n  provider: custom\n  default: bench\n  base_url: ${url}\n  api_key: none\n`;
  writeFileSync(join(home, "config.yaml"), `${model}${settings}`);
  const env = { ...process.env, HOME: top, HERMES_HOME: home };
  return { env, home, folder, [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }) };
}

/** The command line with which the launcher starts the bundle. */
export function hermes(...args: readonly string[]): readonly string[] {
  return [process.execPath, ...nodeFlags, join(root, "dist", "hermes.js"), ...args];
}

export function launcher(...args: readonly string[]): readonly string[] {
  return [join(root, "hermes"), ...args];
}

export function floor(url: string, ...prompts: readonly string[]): readonly string[] {
  return [process.execPath, join(import.meta.dirname, "floor.mjs"), url, ...prompts];
}

export interface Ran {
  readonly output: string;
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Runs a program to its end. The shell reports time and processor time in milliseconds, including children. */
export async function run(command: readonly string[], { env, folder }: Scene): Promise<Ran> {
  const { output, errors, times } = await start(
    ["bash", "-c", `TIMEFORMAT="%3R %3U %3S"; time "$@" 2>&3 3>&-`, "bash", ...command],
    env,
    folder,
  );
  const [real, user, system] = times.trim().split(" ").map(Number);
  if (real === undefined || user === undefined || system === undefined) throw new Error(`${times}\n${errors}`);
  if (output.trim() === "") throw new Error(`${command.join(" ")} printed nothing: ${errors}`);
  return { output, wallMs: real * 1000, cpuMs: (user + system) * 1000 };
}

/** The program's peak memory in bytes, which it reports at its end. */
export async function peakMemory(command: readonly string[], { env, home, folder }: Scene): Promise<number> {
  const file = join(home, "peak");
  const [node = "", ...args] = command;
  const watched = [node, "--require", join(import.meta.dirname, "report-peak.cjs"), ...args];
  const { output, errors } = await start(watched, { ...env, PEAK_FILE: file }, folder);
  if (output.trim() === "") throw new Error(`${command.join(" ")} printed nothing: ${errors}`);
  return Number(readFileSync(file, "utf8"));
}

interface Ended {
  readonly output: string;
  /** Standard error of the program. */
  readonly errors: string;
  readonly times: string;
}

function start(command: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    const texts = ["", "", ""];
    for (const channel of [0, 1, 2])
      child.stdio[channel + 1]?.on("data", (data: Buffer) => (texts[channel] += data.toString()));
    child.on("error", reject);
    child.on("close", () => {
      const [output = "", times = "", errors = ""] = texts;
      resolve({ output, errors: `${errors}${times}`, times: times.split("\n").findLast((line) => line !== "") ?? "" });
    });
  });
}

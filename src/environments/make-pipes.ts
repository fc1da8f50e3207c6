import { spawn } from "node:child_process";
import { once as event } from "node:events";

/** Creates named pipes, many with one program. Returns the reason of a failure. */
export async function makePipes(
  paths: readonly string[],
  folder: string,
  searchPath: string,
): Promise<string | undefined> {
  try {
    // The process starts faster without its own pipes.
    const child = spawn("mkfifo", ["-m", "600", ...paths], { stdio: "ignore", env: { PATH: searchPath } });
    const [code] = (await event(child, "exit")) as [number | null];
    if (code === 0) return undefined;
    return `could not create pipes in ${folder} (mkfifo ended with ${code}); check the folder and its disk`;
  } catch {
    return "mkfifo could not be run; install coreutils or add it to PATH";
  }
}

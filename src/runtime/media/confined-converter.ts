import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { makeTempFolder, removeOrphanedFolders } from "../../base/files/temp-folder.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Conversion, ConversionFault, Converted, ConvertFile } from "../../media/convert/convert-file.ts";
import { limited, type PluginProgram } from "../../safety/plugin-sandbox.ts";
import { type ConfinedChild, confinedStarter, type ProcessPlace } from "../environment/start-confined.ts";

/**
 * Runs converters of untrusted pictures and videos in a sandbox that shows them only their input. If this machine has
 * no sandbox, they run with limits of memory and time.
 */
export function confinedConverter(config: LoadedConfig, clock: Clock): ConvertFile {
  const start = once(() => {
    removeOrphanedFolders(tmpdir());
    return confinedStarter(config, { clock, workspace: undefined, folder: tmpdir(), kind: "convert" });
  });

  async function run(conversion: Conversion, program: string, folder: string, signal: AbortSignal) {
    const [files, output] = [join(folder, "in"), join(folder, "out")];
    for (const each of [files, output]) mkdirSync(each, { mode: 0o700 });
    writeFileSync(join(files, "input"), conversion.input, { mode: 0o400 });
    const started = await start()({
      program: async (place) => ok(programOf(conversion, program, { files, output }, place)),
      net: [],
      isOffline: true,
      onRefusedHost() {},
      withoutSandbox(own) {
        const bounded = process.platform === "win32" ? own : limited(own, own.program, own.args);
        return ok({ ...bounded, env: own.env, hasProxy: false, hasOwnProcesses: false, isUnconfined: true });
      },
      pipes: [],
    });
    if (!started.ok) return err({ kind: "failed", message: started.error } as const);
    return finish(started.value, conversion, output, signal);
  }

  async function finish(
    child: ConfinedChild,
    { timeoutMs, maxOutputBytes }: Conversion,
    output: string,
    signal: AbortSignal,
  ): Promise<Result<Converted, ConversionFault>> {
    let end: "timeout" | "aborted" | undefined;
    const stop = (how: "timeout" | "aborted") => {
      end ??= how;
      void child.end();
    };
    using _timer = clock.after(timeoutMs, () => stop("timeout"));
    const abort = () => stop("aborted");
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    let stdout = "";
    child.stdin.end();
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      if (stdout.length < maxPrinted) stdout += chunk;
    });
    const { code } = await child.exited;
    signal.removeEventListener("abort", abort);
    const stderr = child.stderrTail();
    if (end === "aborted") return err({ kind: end, message: "interrupted" });
    if (end) return err({ kind: end, message: `it took longer than ${timeoutMs / 1_000} s` });
    const files = filesIn(output, maxOutputBytes);
    if (code === 0) return ok({ stdout, stderr, files });
    return err({ kind: "failed", message: oneLine(stderr.trim() || `exit code ${code ?? "unknown"}`, 300) });
  }

  return async (conversion, signal) => {
    const program = findProgram(conversion.programs, config.env);
    if (program === undefined)
      return err({ kind: "missing", message: `none of ${conversion.programs.join(", ")} is installed` });
    let folder: string | undefined;
    try {
      folder = makeTempFolder(realpathSync(tmpdir()), "media");
      return await run(conversion, program, folder, signal);
    } catch (thrown) {
      return err({ kind: "failed", message: reasonOf(thrown) });
    } finally {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  };
}

function programOf(
  { args, maxOutputBytes }: Conversion,
  program: string,
  { files, output }: { readonly files: string; readonly output: string },
  { hasMounts }: ProcessPlace,
): PluginProgram {
  const [seenFiles, seenOutput] = hasMounts ? [inSandbox, "/tmp"] : [files, output];
  return {
    program,
    args: args(program, { input: join(seenFiles, "input"), output: seenOutput }),
    cwd: seenOutput,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", TMPDIR: seenOutput, HOME: seenOutput, LANG: "C.UTF-8" },
    readable: [program, ...systemFiles.filter((path) => existsSync(path)), ...(hasMounts ? [] : [files])],
    writable: hasMounts ? [] : [output],
    granted: { read: [], write: [] },
    placed: [
      { path: "/tmp", from: output, how: "write" },
      { path: inSandbox, from: files, how: "read" },
    ],
    exec: false,
    maxMemoryBytes: maxMemory,
    maxFileBytes: maxOutputBytes,
  };
}

/** Reads only regular files: a compromised converter could leave links. */
function filesIn(folder: string, maxBytes: number): Converted["files"] {
  let left = maxBytes;
  return readdirSync(folder)
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (!stat.isFile() || stat.size > left) return [];
      left -= stat.size;
      return [{ name, bytes: readFileSync(path) }];
    });
}

/**
 * Folders that converters may read: libraries are linked through the first one, and rendering documents needs fonts.
 */
const systemFiles: readonly string[] = ["/etc/alternatives", "/etc/ld.so.cache", "/etc/fonts", "/var/cache/fontconfig"];
const inSandbox = "/run/hermes";
const maxPrinted = 4_000_000;
const maxMemory = 4 * 2 ** 30;

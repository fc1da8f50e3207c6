import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { systemClock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { runProgram } from "../../base/process/run-program.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { sandboxAdvice } from "../../environments/local/sandbox-advice.ts";
import type { BubblewrapFault } from "../../environments/local/try-bubblewrap.ts";
import { trustedSearchPath } from "../../environments/trusted-search-path.ts";
import type { SandboxProgram } from "../../safety/isolation.ts";

/** `weaker`: set if the sandbox protects less than bubblewrap, which does not work here. */
export interface FoundSandbox extends SandboxProgram {
  readonly weaker?: { readonly why: string; readonly hint: string };
}

/** `hint`: how to get a sandbox. */
export interface NoSandbox extends BubblewrapFault {
  readonly hint: string;
}

/**
 * The first sandbox that works on this machine: bubblewrap, then Landlock; on macOS the system's own. `isRemembered`:
 * stores in the home that bubblewrap works.
 */
export async function findSandbox(
  config: LoadedConfig,
  workspace: string | undefined,
  isRemembered: boolean,
): Promise<Result<FoundSandbox, NoSandbox>> {
  const { platform } = process;
  if (platform === "darwin" && existsSync(seatbelt)) return ok({ kind: "seatbelt", program: seatbelt });
  if (platform !== "linux") {
    const hint = "Use a container or another machine (terminal.backend).";
    return err({ message: `there is no sandbox for ${platform}`, isCertain: true, hint });
  }
  const bubblewrap = await workingBubblewrap(config, workspace, isRemembered);
  if (bubblewrap.ok) return ok({ kind: "bubblewrap", program: bubblewrap.value });
  const hint = sandboxAdvice(bubblewrap.error.message, contentOf);
  if (!bubblewrap.error.isCertain) return err({ ...bubblewrap.error, hint });
  const landlock = await workingLandlock(config, workspace);
  if (!landlock.ok)
    return err({ ...bubblewrap.error, message: `${bubblewrap.error.message}; ${landlock.error}`, hint });
  const why = `by Landlock, because ${bubblewrap.error.message}: sockets of this machine, other processes and git hooks are not protected`;
  return ok({ ...landlock.value, weaker: { why, hint } });
}

const seatbelt = "/usr/bin/sandbox-exec";

/** The kernel's Landlock, called by Perl. */
async function workingLandlock(
  { env, values }: LoadedConfig,
  workspace: string | undefined,
): Promise<Result<SandboxProgram, string>> {
  const { trialLandlock } = await import("../../safety/isolation.ts");
  const program = findProgram(["perl"], { PATH: trustedSearchPath(env["PATH"], workspace) });
  if (program === undefined) return err("Landlock needs perl, which is not installed");
  const { signal } = new AbortController();
  const run = (args: readonly string[]) =>
    runProgram({ program, args, env: {}, cwd: "/", signal, timeoutMs: 10_000, clock: systemClock });
  const probe = await run(["-e", "print syscall 444, 0, 0, 1"]);
  const abi = probe.how === "exit" && probe.code === 0 ? Number.parseInt(probe.stdout, 10) : 0;
  if (!(abi > 0)) return err("the kernel has no Landlock");
  const { network: hasNetwork } = values.isolation;
  if (!hasNetwork && abi < 4) return err("Landlock of this kernel cannot block network access");
  const trial = trialLandlock({ abi, hasNetwork, isRoot: userId() === 0 });
  if (!trial) return err(`Landlock is not supported on ${process.arch}`);
  const tried = await run([...trial, "/bin/sh", "-c", "echo >/dev/null && ! true >/proc/self/comm"]);
  if (tried.how !== "exit" || tried.code !== 0) return err("Landlock does not work here");
  return ok({ kind: "landlock", program, abi });
}

/** The bubblewrap program, if it works on this machine. A success is remembered until the next boot. */
async function workingBubblewrap(
  config: LoadedConfig,
  workspace: string | undefined,
  isRemembered: boolean,
): Promise<Result<string, BubblewrapFault>> {
  const { tryBubblewrap } = await import("../../environments/local/try-bubblewrap.ts");
  const program = findProgram(["bwrap"], { PATH: trustedSearchPath(config.env["PATH"], workspace) });
  if (program === undefined) return err({ message: "bubblewrap (bwrap) is not installed", isCertain: true });
  const memory = join(config.home.path, homeFiles.isolation);
  const stamp = stampOf(program, config);
  if (readMemory(memory) === stamp) return ok(program);
  const { trialSandbox } = await import("../../safety/isolation.ts");
  const trial = trialSandbox({ hasNetwork: config.values.isolation.network, isRoot: userId() === 0 });
  const tried = await tryBubblewrap({ program, ...trial }, systemClock);
  if (!tried.ok) return tried;
  if (isRemembered) remember(memory, stamp, config.home.path);
  return ok(program);
}

/** A key that changes with the machine, its last boot, the program and its settings. */
function stampOf(program: string, { values }: LoadedConfig): string {
  const stats = statSync(program);
  const parts = [
    "gate",
    contentOf("/proc/sys/kernel/random/boot_id"),
    program,
    stats.ino,
    stats.size,
    stats.mtimeMs,
    userId(),
    values.isolation.network,
  ];
  return sha256(parts.join("\n"));
}

function readMemory(file: string): unknown {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof read === "object" && read !== null && "works" in read ? read.works : undefined;
  } catch {
    return undefined;
  }
}

function remember(file: string, works: string, home: string): void {
  if (!existsSync(home)) return;
  try {
    writeFileSync(file, `${JSON.stringify({ works })}\n`, { mode: 0o600 });
  } catch {
    // The next start tries again.
  }
}

function contentOf(file: string): string | undefined {
  return valueOr(() => readFileSync(file, "utf8").trim(), undefined);
}

function userId(): number {
  return process.getuid?.() ?? 0;
}

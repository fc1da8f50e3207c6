import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/**
 * Programs of the system that tests need. Missing ones are installed from Debian's packages only with
 * HERMES_TEST_APT=1. A string is the reason to skip, for people to read: `test(name, { skip: missingPrograms({ sshd:
 * "openssh-server" }) }, …)`.
 */
export function missingPrograms(packages: Readonly<Record<string, string>>): string | false {
  const missing = () => Object.keys(packages).filter((program) => findProgram(program) === undefined);
  if (missing().length === 0) return false;
  const expected = [...new Set(missing().map((program) => packages[program] ?? program))];
  const needed = `needs ${missing().join(", ")} (Debian: ${expected.join(" ")})`;
  if (process.env.HERMES_TEST_APT !== "1") return `${needed}; HERMES_TEST_APT=1 lets the tests install it`;
  const install = ["install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", ...expected];
  // The lists of packages may be missing or old.
  const outputs = [install, ["update"], install].flatMap((args) => (missing().length === 0 ? [] : [aptGet(args)]));
  return missing().length === 0 ? false : `${needed}, and apt-get could not install it: ${outputs.at(-1)}`;
}

/** Also finds programs if only the system's own folders are in PATH. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/local/sbin", "/usr/sbin", "/sbin"];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function aptGet(args: readonly string[]): string {
  const { error, stderr, stdout } = spawnSync("apt-get", args, {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: 300_000,
  });
  return error?.message ?? (`${stdout}\n${stderr}`.trim().split("\n").at(-1) || "no reason given");
}
